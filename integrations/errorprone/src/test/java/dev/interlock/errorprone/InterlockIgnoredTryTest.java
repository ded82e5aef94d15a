package dev.interlock.errorprone;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

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
                  locks.tryRun(KEY, lease -> work()); // BUG false means that somebody else has the lock and the work was not done
                  locks.tryRun(KEY, Duration.ofSeconds(1), lease -> work()); // BUG boolean unused = locks.tryRun
                  locks.with(KEY).shared().tryRun(lease -> work()); // BUG Nobody looks at the answer of tryRun
                }
                """);
        }

        @Test
        void tryAcquire() {
            compile("""
                void m() {
                  locks.tryAcquire(KEY); // BUG Nobody looks at the answer of tryAcquire
                  locks.with(List.of(KEY)).tryAcquire(Duration.ofSeconds(1)); // BUG Nobody looks at the answer of tryAcquire
                }
                """);
        }

        @Test
        void acquireAsync() {
            compile("""
                void m() {
                  locks.acquireAsync(KEY); // BUG Nobody looks at the answer of acquireAsync
                  locks.with(KEY).leaseFor(Duration.ofSeconds(9)).acquireAsync(); // BUG nobody can close it
                }
                """);
        }

        @Test
        void lambdaWithoutAResult() {
            compile("""
                void m() {
                  executor.execute(() -> locks.tryRun(KEY, lease -> work())); // BUG Nobody looks at the answer of tryRun
                }
                """);
        }

        @Test
        void methodReferenceWithoutAResult() {
            compile("""
                void m(List<LockKey> keys) {
                  keys.forEach(locks::tryAcquire); // BUG Nobody looks at the answer of tryAcquire
                }
                """);
        }

        @Test
        void insideTheWorkOfAnother() {
            compile("""
                void m() {
                  locks.run(KEY, lease -> {
                    locks.tryRun(LockKey.of("item", "2"), inner -> work()); // BUG Nobody looks at the answer of tryRun
                  });
                }
                """);
        }
    }

    @Nested
    class Fine {
        @Test
        void lookedAt() {
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
        void saidToBeUnused() {
            compile("""
                void m() {
                  boolean unused = locks.tryRun(KEY, lease -> work());
                  var unusedStage = locks.acquireAsync(KEY);
                }
                """);
        }

        @Test
        void handedOn() {
            compile("""
                Callable<Boolean> m() {
                  use(locks.tryAcquire(KEY));
                  locks.acquireAsync(KEY).thenAccept(Lease::close);
                  return () -> locks.tryRun(KEY, lease -> work());
                }
                """);
        }

        @Test
        void verbsThatWait() {
            compile("""
                void m() {
                  locks.run(KEY, lease -> work());
                  locks.call(KEY, lease -> 1);
                }
                """);
        }

        @Test
        void othersThatAreCalledTheSame() {
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
                            "package org.mockito; public class Mockito { public static <T> T verify(T mock) { return mock; } }")
                    .compile("""
                        void m(LockKey key) { org.mockito.Mockito.verify(locks).tryAcquire(key); }
                        """);
        }

        @Test
        void ownLocksWithVerbsOfAnotherKind() {
            compile("""
                abstract class Mine implements Locks {
                  boolean tryRun() { return true; }
                  void m() { tryRun(); }
                }
                """);
        }
    }
}
