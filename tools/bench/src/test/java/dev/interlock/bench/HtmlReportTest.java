package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
    private final SuiteResult sample = SampleReport.result();
    private final String html = HtmlReport.of(sample, SampleReport.FACTS);

    @Test
    void everyChartAndTableShowsEveryContender() throws Exception {
        ParsedPage page = new ParsedPage(html);

        for (WorkloadResult result : sample.plain()) {
            List<String> names =
                    result.workload().contenders().stream().map(Contender::name).toList();
            String section = "//section[@id='" + result.workload().name() + "']";
            assertThat(page.texts(section + "//g/text[@class='name']")).isEqualTo(names);
            assertThat(page.texts(section + "//tbody/tr/th")).isEqualTo(names);
            assertThat(page.texts(section + "//thead/tr/th")).hasSize(1 + 7 + 3).contains("p99.9 ms", "x raw_fenced");
        }
    }

    @Test
    void failureIsShownWithItsReason() throws Exception {
        ParsedPage page = new ParsedPage(html);

        assertThat(page.texts("//section[@id='hot_1p32t']/p[@class='failure']"))
                .containsExactly("redisson_fair FAILED:\n" + SampleReport.REASON);
        assertThat(page.texts("//section[@id='waiters']/p[@class='failure']/strong"))
                .containsExactly(
                        "redisson_fenced FAILED at 1,000 threads:",
                        "redisson_fair FAILED at 10,000 threads:",
                        "shedlock FAILED at 10,000 threads:");
        assertThat(html).contains("ERR &lt;unknown&gt; command").doesNotContain("<unknown>");
    }

    @Test
    void pageDescribesTheRun() throws Exception {
        ParsedPage page = new ParsedPage(html);

        assertThat(page.texts("//p[@class='facts']"))
                .containsExactly("Redis 7.0.15 · OpenJDK 17 · Linux amd64 · 2 processors · 9 rounds of 1.5 s");
        assertThat(page.texts("//footer//code")).containsExactly("./interlock bench redis --html FILE");
        assertThat(html).contains("2026-01-02T03:04:05Z");
    }

    @Test
    void goalsAreDescribed() throws Exception {
        ParsedPage page = new ParsedPage(html);

        assertThat(page.texts("//table[@class='goals']/tbody/tr/td[1]"))
                .containsOnly("✓ met", "✗ MISSED")
                .hasSize(5);
        assertThat(page.texts("//table[@class='goals']/tbody/tr[5]/td[2]")).containsExactly("-");
    }

    @Test
    void firstMetricOfAScalingRunHasALargePlotAndTheOthersSmallOnes() throws Exception {
        ParsedPage page = new ParsedPage(html);

        assertThat(page.texts("//section[@id='keys']//div[@class='lines large']"))
                .hasSize(1);
        // Seven metrics. There are no lost updates, and zero has no place on a logarithmic axis.
        assertThat(page.texts("//section[@id='keys']//div[@class='lines small']"))
                .hasSize(5);
        assertThat(page.texts("//section[@id='keys']//div[@class='lines large']//polyline"))
                .hasSize(9 + 1);
        assertThat(page.texts("//section[@id='keys']//thead/tr/th")).contains("1,000,000", "last / first");
    }

    @Test
    void pageHasNoExternalResources() throws Exception {
        ParsedPage page = new ParsedPage(html);

        assertThat(page.texts("//@src | //link | //script | //image | //@*[local-name() = 'xlink:href']"))
                .isEmpty();
        assertThat(page.texts("//@href")).isNotEmpty().allMatch(target -> target.startsWith("#"));
        assertThat(html.toLowerCase(Locale.ROOT)).doesNotContain("http", "url(", "@import");
    }

    @Test
    void linksPointToSections() throws Exception {
        ParsedPage page = new ParsedPage(html);

        assertThat(page.texts("//@href"))
                .isEqualTo(page.texts("//@id").stream().map(id -> '#' + id).toList());
    }

    @Test
    void nanAndInfinityAreShown() throws Exception {
        assertThat(html).doesNotContain("NaN").doesNotContain("Infinity");
        assertThat(new ParsedPage(html).texts("//section[@id='free_8t']//td")).contains("-", "inf");
    }

    @Test
    void screenReadersCanReadChartsAndTables() throws Exception {
        ParsedPage page = new ParsedPage(html);

        assertThat(page.texts("//div/svg[not(@role='img') or not(*[1][self::title])]"))
                .isEmpty();
        assertThat(page.texts("//th[not(@scope)] | //th[not(normalize-space())]"))
                .isEmpty();
    }

    @Test
    void controlCharactersAreReplaced() throws Exception {
        WorkloadResult result =
                new UnrunWorkload("task", "a task", List.of(ScriptedWorkload.ours()), List.of(Metric.OPS)).result();
        result.failed(ScriptedWorkload.ours(), "\u0000\u001b[31m \uD800 ]]> <!-- \uFFFF");
        Suite suite = new Suite("suite", List.of(result.workload()), List.of(), List.of());

        String page = HtmlReport.of(new SuiteResult(suite, Schedule.QUICK, List.of(result)), SampleReport.FACTS);

        assertThat(new ParsedPage(page).texts("//p[@class='failure']"))
                .singleElement()
                .asString()
                .endsWith("\uFFFD\uFFFD[31m \uFFFD ]]> <!-- \uFFFD");
        assertThat(page).contains("An Interlock contender failed", "./interlock bench redis --html FILE");
    }
}
