package dev.interlock.bench;

import java.util.List;

/** The part of the page below a chart: a table of the values, and the contenders that failed. */
final class TableSection {
    private TableSection() {}

    /** The contenders are those of the rows. */
    static void write(Markup page, ReportTable table, List<Contender> contenders) {
        page.open("div", "class", "wide").open("table").open("thead").open("tr");
        // Screen readers need a heading that is not empty.
        page.leaf("th", "contender", "scope", "col");
        table.headings().stream().skip(1).forEach(heading -> page.leaf("th", heading, "scope", "col"));
        page.close().close().open("tbody");
        for (int i = 0; i < contenders.size(); i++) {
            List<String> row = table.rows().get(i);
            page.open("tr", "class", Palette.of(contenders.get(i).role()));
            page.leaf("th", row.get(0), "scope", "row");
            row.stream().skip(1).forEach(figure -> page.leaf("td", figure));
            page.close();
        }
        page.close().close().close();
    }

    /** Lists why contenders have no values. {@code where} may name the step. */
    static void failures(Markup page, WorkloadResult result, String where) {
        for (Contender contender : result.workload().contenders()) {
            result.failureOf(contender.name()).ifPresent(why -> {
                page.open("p", "class", "failure").leaf("strong", contender.name() + " FAILED" + where + ':');
                page.text(why).close();
            });
        }
    }
}
