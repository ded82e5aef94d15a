package dev.interlock.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** File locks of the operating system, which exclude processes, and locks that only seem to. */
public final class FileContenders implements ContenderSource {
    @Override
    public List<Contender> contenders(String address, Duration lease) {
        return List.of(
                Contender.floor("file", () -> new FileLocking(Path.of(address), true)),
                Contender.floor("local", () -> new FileLocking(Path.of(address), false)),
                Contender.floor("deadly", () -> new FileLocking(Path.of(address), true) {
                    @Override
                    public LockGuard guard(String name) {
                        LockGuard guard = super.guard(name);
                        return section -> {
                            exitIfFirst(Path.of(address + ".died"));
                            guard.run(section);
                        };
                    }
                }),
                Contender.floor("missing", () -> {
                    throw new IllegalStateException("not installed");
                }));
    }

    /** Ends the process that gets here first, and no other. */
    private static void exitIfFirst(Path mark) {
        try {
            Files.createFile(mark);
            Runtime.getRuntime().halt(1);
        } catch (FileAlreadyExistsException e) {
            // Another process was first.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static class FileLocking implements Locking {
        private final ReentrantLock local = new ReentrantLock(true);
        private final FileChannel file;
        private final boolean excludesProcesses;

        FileLocking(Path path, boolean excludesProcesses) {
            try {
                this.file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            this.excludesProcesses = excludesProcesses;
        }

        @Override
        public LockGuard guard(String name) {
            return section -> {
                local.lock();
                try {
                    inside(section);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } finally {
                    local.unlock();
                }
            };
        }

        private void inside(Runnable section) throws IOException {
            if (excludesProcesses) {
                try (var lock = file.lock()) {
                    section.run();
                }
            } else {
                section.run();
            }
        }

        @Override
        public LockGuard guardAll(List<String> names) {
            throw new AssertionError("not used here");
        }

        /** Excludes no other holder: the test measures the cost of held locks, not their protection. */
        @Override
        public Runnable hold(String name) {
            return () -> {};
        }

        @Override
        public void close() {
            try {
                file.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
