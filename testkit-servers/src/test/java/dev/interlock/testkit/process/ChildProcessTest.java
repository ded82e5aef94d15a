package dev.interlock.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("server")
class ChildProcessTest {
    private final Path folder = Folders.temporary("child");

    @Test
    void programGetsItsArgumentsVariablesAndFolder() {
        ChildProcess child =
                start(Map.of("COLOUR", "dark green"), "sh", "-c", "echo \"$1 $COLOUR $(pwd)\"", "sh", "a  b");
        await().until(() -> !child.isAlive());
        assertThat(child.logTail(5)).isEqualTo("a  b dark green " + folder);
    }

    @Test
    void inputAfterTheGateReachesTheProgram() throws Exception {
        ChildProcess child = ChildProcess.startTalking(command(Map.of(), "cat"));
        child.input().write("hello\n".getBytes(UTF_8));
        child.input().flush();
        assertThat(reader(child).readLine()).isEqualTo("hello");
        child.kill();
    }

    @Test
    void killEndsTheWholeTree() throws Exception {
        ChildProcess child = ChildProcess.startTalking(command(Map.of(), "sh", "-c", "sleep 600 & echo $!; wait"));
        long grandchild = Long.parseLong(reader(child).readLine());
        child.kill();
        assertThat(child.isAlive()).isFalse();
        assertThat(ProcessHandle.of(grandchild).filter(ProcessTree::isRunning)).isEmpty();
    }

    @Test
    void pausedTreeStopsAndResumes() throws Exception {
        ChildProcess child = ChildProcess.startTalking(command(Map.of(), "sh", "-c", "sleep 600 & echo $!; wait"));
        long grandchild = Long.parseLong(reader(child).readLine());

        child.pause();
        assertThat(state(child.pid())).isEqualTo('T');
        assertThat(state(grandchild)).isEqualTo('T');

        child.resume();
        await().untilAsserted(() -> assertThat(state(grandchild)).isEqualTo('S'));
        child.kill();
    }

    @Test
    void stopLetsTheProgramFinish() {
        Path trace = folder.resolve("trace");
        ChildProcess child = start(
                Map.of(),
                "sh",
                "-c",
                "trap 'echo saved > trace; exit' TERM; touch ready; while :; do sleep 0.01; done");
        await().until(() -> Files.exists(folder.resolve("ready")));
        child.stop();
        assertThat(trace).hasContent("saved");
    }

    @Test
    void programThatDoesNotExistShowsInTheLog() {
        ChildProcess child = start(Map.of(), "/no/such/program");
        await().until(() -> !child.isAlive());
        assertThat(child.logTail(3)).contains("/no/such/program");
    }

    @Test
    void failingProgramIsReportedWithItsOutput() {
        assertThatThrownBy(() -> Programs.run(List.of("sh", "-c", "echo no luck; exit 3"), folder))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("failed with code 3")
                .hasMessageContaining("no luck");
        assertThatThrownBy(() -> Programs.run(List.of("/no/such/program"), folder))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("/no/such/program");
    }

    @Test
    void nothingIsLeftOfAJvmThatIsKilled() throws Exception {
        ChildProcess jvm = ChildProcess.startTalking(command(
                Map.of(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dinterlock.started.processes=" + System.getProperty("interlock.started.processes"),
                "-cp",
                System.getProperty("java.class.path"),
                Orphans.class.getName()));
        BufferedReader lines = reader(jvm);
        ProcessHandle running =
                ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
        ProcessHandle paused =
                ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
        Path data = Path.of(lines.readLine());
        assertThat(running.isAlive() && paused.isAlive() && Files.exists(data)).isTrue();

        // Not jvm.kill(), which would also kill the children.
        ProcessHandle.of(jvm.pid()).orElseThrow().destroyForcibly();

        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(ProcessTree.isRunning(running)).isFalse();
            assertThat(ProcessTree.isRunning(paused)).isFalse();
            assertThat(data).doesNotExist();
        });
    }

    /** Starts two programs, one of which is paused, creates a folder, and waits to be killed. */
    static final class Orphans {
        private Orphans() {}

        public static void main(String[] arguments) throws Exception {
            Path data = Folders.temporary("orphans");
            Files.writeString(data.resolve("file"), "x");
            Command sleep = new Command(List.of("sleep", "600"), Map.of(), data, data.resolve("log"));
            ChildProcess running = ChildProcess.start(sleep);
            ChildProcess paused = ChildProcess.start(sleep);
            paused.pause();
            System.out.println(running.pid() + "\n" + paused.pid() + "\n" + data);
            System.in.read();
        }
    }

    private ChildProcess start(Map<String, String> variables, String... arguments) {
        return ChildProcess.start(command(variables, arguments));
    }

    private Command command(Map<String, String> variables, String... arguments) {
        return new Command(List.of(arguments), variables, folder, folder.resolve("log"));
    }

    private static BufferedReader reader(ChildProcess child) {
        return new BufferedReader(new InputStreamReader(child.output(), UTF_8));
    }

    private static char state(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return stat.charAt(stat.lastIndexOf(')') + 2);
    }
}
