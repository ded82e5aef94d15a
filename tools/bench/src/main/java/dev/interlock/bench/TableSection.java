package dev.interlock.bench;

import java.util.List;

/** What stands below a chart: its figures in a table, and who has none. */
final class TableSection {
    private TableSection() {}

    /** The contenders are those of the rows. */
    static void write(Markup page, ReportTable table, List<Contender> contenders) {
        page.open("div", "class", "wide").open("table").open("thead").open("tr");
        // A heading must not be empty for those who hear the page.
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

    /** Why contenders have no figures; where may say at which step. */
    static void failures(Markup page, WorkloadResult result, String where) {
        for (Contender contender : result.workload().contenders()) {
            result.failureOf(contender.name()).ifPresent(why -> {
                page.open("p", "class", "failure").leaf("strong", contender.name() + " FAILED" + where + ':');
                page.text(why).close();
            });
        }
    }
}
