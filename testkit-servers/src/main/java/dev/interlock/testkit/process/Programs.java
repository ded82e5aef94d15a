package dev.interlock.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs to their end and returns their output.
 *
 * @since 0.1.0
 */
public final class Programs {
    /** Long enough for the largest download. */
    private static final Duration AT_MOST = Duration.ofMinutes(10);

    private Programs() {}

    /**
     * Runs a program and returns its output.
     *
     * @throws IllegalStateException if the program cannot be started or fails; the message contains its output
     */
    public static String run(List<String> arguments, Path folder) {
        return run(arguments, folder, InputStream.nullInputStream());
    }

    /** Runs a program with this standard input and returns its output. */
    public static String run(List<String> arguments, Path folder, InputStream input) {
        Path output = null;
        try {
            // A file, not a pipe: a program that prints while it reads its input would block on a full pipe, and so
            // would this thread.
            output = Files.createTempFile("interlock-output-", ".txt");
            Process process = new ProcessBuilder(arguments)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            feed(process, input);
            boolean ended = process.waitFor(AT_MOST.toMillis(), MILLISECONDS);
            process.destroyForcibly();
            String printed = Files.readString(output, UTF_8);
            if (!ended || process.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", arguments)
                        + (ended ? " failed with code " + process.exitValue() : " did not end within " + AT_MOST)
                        + ":\n" + printed);
            }
            return printed;
        } catch (IOException e) {
            throw new IllegalStateException("Could not run " + arguments.get(0) + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while running " + arguments.get(0), e);
        } finally {
            delete(output);
        }
    }

    /**
     * A program that ends before it has read all its input reports that by its exit code, so a broken pipe is not an
     * error here.
     */
    private static void feed(Process process, InputStream input) throws IOException {
        try (OutputStream stdin = process.getOutputStream()) {
            input.transferTo(stdin);
        } catch (IOException e) {
            if (process.isAlive()) {
                throw e;
            }
        }
    }

    private static void delete(@Nullable Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
