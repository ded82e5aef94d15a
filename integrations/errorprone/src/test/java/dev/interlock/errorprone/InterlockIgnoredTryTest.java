package dev.interlock.errorprone;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class InterlockIgnoredTryTest {
    private static void compile(String members) {
        Snippet.checkedBy(InterlockIgnoredTry.class)
                .declaring("static final LockKey KEY = LockKey.of(\"item\", \"1\");")
                .compile(members);
    }

    @Nested
    class Ignored {
        @Test
        void tryRun() {
            compile("""
                void m() {
                  locks.tryRun(KEY, lease -> work()); \
                      // BUG false means that another holder has the lock and the work was not done
                  locks.tryRun(KEY, Duration.ofSeconds(1), lease -> work()); // BUG boolean unused = locks.tryRun
                  locks.with(KEY).shared().tryRun(lease -> work()); // BUG The result of tryRun is ignored
                }
                """);
        }

        @Test
        void tryAcquire() {
            compile("""
                void m() {
                  locks.tryAcquire(KEY); // BUG The result of tryAcquire is ignored
                  locks.with(List.of(KEY)).tryAcquire(Duration.ofSeconds(1)); // BUG The result of tryAcquire is ignored
                }
                """);
        }

        @Test
        void acquireAsync() {
            compile("""
                void m() {
                  locks.acquireAsync(KEY); // BUG The result of acquireAsync is ignored
                  locks.with(KEY).leaseFor(Duration.ofSeconds(9)).acquireAsync(); // BUG cannot be closed
                }
                """);
        }

        @Test
        void lambdaWithoutAResult() {
            compile("""
                void m() {
                  executor.execute(() -> locks.tryRun(KEY, lease -> work())); // BUG The result of tryRun is ignored
                }
                """);
        }

        @Test
        void methodReferenceWithoutAResult() {
            compile("""
                void m(List<LockKey> keys) {
                  keys.forEach(locks::tryAcquire); // BUG The result of tryAcquire is ignored
                }
                """);
        }

        @Test
        void insideTheWorkOfAnotherLock() {
            compile("""
                void m() {
                  locks.run(KEY, lease -> {
                    locks.tryRun(LockKey.of("item", "2"), inner -> work()); // BUG The result of tryRun is ignored
                  });
                }
                """);
        }
    }

    @Nested
    class Correct {
        @Test
        void resultUsed() {
            compile("""
                boolean m() {
                  if (!locks.tryRun(KEY, lease -> work())) { work(); }
                  locks.tryAcquire(KEY).ifPresent(Lease::close);
                  Optional<Lease> lease = locks.tryAcquire(KEY);
                  return lease.isPresent() && locks.tryRun(KEY, one -> work());
                }
                """);
        }

        @Test
        void namedUnused() {
            compile("""
                void m() {
                  boolean unused = locks.tryRun(KEY, lease -> work());
                  var unusedStage = locks.acquireAsync(KEY);
                }
                """);
        }

        @Test
        void passedOn() {
            compile("""
                Callable<Boolean> m() {
                  use(locks.tryAcquire(KEY));
                  locks.acquireAsync(KEY).thenAccept(Lease::close);
                  return () -> locks.tryRun(KEY, lease -> work());
                }
                """);
        }

        @Test
        void methodsThatWait() {
            compile("""
                void m() {
                  locks.run(KEY, lease -> work());
                  locks.call(KEY, lease -> 1);
                }
                """);
        }

        @Test
        void unrelatedMethodsOfTheSameName() {
            compile("""
                boolean tryRun() { return true; }
                void m(Semaphore permits) {
                  tryRun();
                  permits.tryAcquire();
                }
                """);
        }

        @Test
        void suppressed() {
            compile("""
                @SuppressWarnings("InterlockIgnoredTry")
                void m() { locks.tryRun(KEY, lease -> work()); }
                """);
        }

        @Test
        void callOnAMock() {
            Snippet.checkedBy(InterlockIgnoredTry.class)
                    .beside(
                            "org/mockito/Mockito.java",
                            "package org.mockito; public class Mockito { public static <T> T verify(T mock) { return"
                                    + " mock; } }")
                    .compile("""
                        void m(LockKey key) { org.mockito.Mockito.verify(locks).tryAcquire(key); }
                        """);
        }

        @Test
        void applicationTypeNamedLocks() {
            compile("""
                abstract class Mine implements Locks {
                  boolean tryRun() { return true; }
                  void m() { tryRun(); }
                }
                """);
        }
    }
}
