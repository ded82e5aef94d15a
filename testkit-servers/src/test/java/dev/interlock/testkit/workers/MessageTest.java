package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessageTest {
    private static Message sent(Message message) {
        return Message.parse(message.toString());
    }

    @Test
    void anyTextSurvivesTheWay() {
        Message message = Message.of("verb")
                .numbered(7)
                .with("a", "x = y & z\n%20 \u00e4\u20ac")
                .with("b", "");
        assertThat(message.toString()).doesNotContain("\n");
        assertThat(sent(message)).isEqualTo(message);
    }

    @Test
    void plansAndReportsSurviveTheWay() {
        Ask ask = Ask.of(LockKey.of("a:b c"), Duration.ofMillis(1500), Duration.ZERO)
                .unrenewed();
        Section section = new Section(ask, false, true, Duration.ofNanos(7));
        assertThat(Section.readFrom(sent(section.writeTo(Message.of("section")))))
                .isEqualTo(section);
        Workload workload = new Workload(
                2, List.of("a", "b"), Duration.ofSeconds(3), Duration.ZERO, Duration.ofMillis(1), true, false, -9);
        assertThat(Workload.readFrom(sent(workload.writeTo(Message.of("run"))))).isEqualTo(workload);
        Section.Report report = new Section.Report(Section.Outcome.STALE, 1, 2, 3, true, "why not");
        assertThat(Section.Report.readFrom(sent(report.writeTo(Message.of("ended")))))
                .isEqualTo(report);
    }

    @Test
    void textThatIsNoMessageIsRefused() {
        assertThatThrownBy(() -> Message.parse("hello")).hasMessage("\"hello\" is no message");
        assertThatThrownBy(() -> Message.parse("1 verb").text("key")).hasMessageContaining("does not say \"key\"");
    }

    @Test
    void workloadThatDoesNothingIsRefused() {
        assertThatThrownBy(() -> new Workload(
                        0, List.of("a"), Duration.ofSeconds(3), Duration.ZERO, Duration.ZERO, true, true, 1))
                .hasMessageContaining("0 threads with 1 keys do nothing");
    }
}
