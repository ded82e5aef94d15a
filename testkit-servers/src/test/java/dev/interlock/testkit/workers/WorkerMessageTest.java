package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerMessageTest {
    private static WorkerMessage sent(WorkerMessage message) {
        return WorkerMessage.parse(message.toString());
    }

    @Test
    void anyTextSurvivesTransport() {
        WorkerMessage message = WorkerMessage.of("verb")
                .numbered(7)
                .with("a", "x = y & z\n%20 \u00e4\u20ac")
                .with("b", "");
        assertThat(message.toString()).doesNotContain("\n");
        assertThat(sent(message)).isEqualTo(message);
    }

    @Test
    void commandsAndReportsSurviveTransport() {
        WorkerRequest ask = WorkerRequest.of(LockKey.of("a:b c"), Duration.ofMillis(1500), Duration.ZERO)
                .unrenewed();
        CriticalSection section = new CriticalSection(ask, false, true, Duration.ofNanos(7));
        assertThat(CriticalSection.readFrom(sent(section.writeTo(WorkerMessage.of("section")))))
                .isEqualTo(section);
        Workload workload = new Workload(
                2, List.of("a", "b"), Duration.ofSeconds(3), Duration.ZERO, Duration.ofMillis(1), true, false, -9);
        assertThat(Workload.readFrom(sent(workload.writeTo(WorkerMessage.of("run")))))
                .isEqualTo(workload);
        CriticalSection.Report report =
                new CriticalSection.Report(CriticalSection.Outcome.STALE, 1, 2, 3, true, "why not");
        assertThat(CriticalSection.Report.readFrom(sent(report.writeTo(WorkerMessage.of("ended")))))
                .isEqualTo(report);
    }

    @Test
    void textThatIsNoMessageIsRefused() {
        assertThatThrownBy(() -> WorkerMessage.parse("hello")).hasMessage("\"hello\" is not a message");
        assertThatThrownBy(() -> WorkerMessage.parse("1 verb").text("key")).hasMessageContaining("has no \"key\"");
    }

    @Test
    void workloadThatDoesNothingIsRefused() {
        assertThatThrownBy(() -> new Workload(
                        0, List.of("a"), Duration.ofSeconds(3), Duration.ZERO, Duration.ZERO, true, true, 1))
                .hasMessageContaining("0 threads with 1 keys do nothing");
    }
}
