package dev.interlock.errorprone;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checks recognize annotations by name, so three small ones replace those of Spring and Jakarta. */
@Tag("slow")
class InterlockReleaseInTransactionTest {
    private static final String SPRING = "org.springframework.transaction.annotation";
    private static final String TRANSACTIONAL = "@" + SPRING + ".Transactional";

    private static void compile(String members) {
        Snippet.checkedBy(InterlockReleaseInTransaction.class)
                .beside(
                        "org/springframework/transaction/annotation/Propagation.java",
                        "package " + SPRING
                                + "; public enum Propagation { REQUIRED, REQUIRES_NEW, NEVER, NOT_SUPPORTED }")
                .beside(
                        "org/springframework/transaction/annotation/Transactional.java",
                        "package " + SPRING
                                + "; @java.lang.annotation.Inherited public @interface Transactional { String value()"
                                + " default \"\"; boolean readOnly() default false;"
                                + " Propagation propagation() default Propagation.REQUIRED; }")
                .beside(
                        "jakarta/annotation/PostConstruct.java",
                        "package jakarta.annotation; public @interface PostConstruct {}")
                .beside("jakarta/transaction/Transactional.java", annotation("jakarta.transaction"))
                .beside("javax/transaction/Transactional.java", annotation("javax.transaction"))
                .declaring("static final LockKey KEY = LockKey.of(\"item\", \"1\");")
                .compile(members.replace("@Transactional", TRANSACTIONAL)
                        .replace("Propagation.", SPRING + ".Propagation."));
    }

    private static String annotation(String home) {
        return "package " + home + "; public @interface Transactional {"
                + " enum TxType { REQUIRED, NEVER, NOT_SUPPORTED } TxType value() default TxType.REQUIRED; }";
    }

    @Nested
    class BeforeTheCommit {
        @Test
        void tryWithResources() {
            compile("""
                @Transactional
                public void pay() {
                  try (Lease lease = locks.acquire(KEY)) { // BUG released before the transaction of pay() ends
                    work();
                  }
                }
                """);
        }

        @Test
        void work() {
            compile("""
                @Transactional
                public int pay() {
                  locks.run(KEY, lease -> work()); // BUG TransactionLeases.acquire(connection, locks.with(key))
                  boolean done = locks.tryRun(KEY, lease -> work()); // BUG Take the lock outside
                  return locks.with(KEY).shared().call(lease -> 1); // BUG LockedTransactions
                }
                """);
        }

        @Test
        void closedExplicitly() {
            compile("""
                @Transactional(propagation = Propagation.REQUIRES_NEW)
                void pay() {
                  Lease lease = locks.acquire(KEY); // BUG released before the transaction
                  try { work(); } finally { lease.release(); }
                  Lease other = locks.acquire(KEY); // BUG released before the transaction
                  work();
                  other.close();
                }
                """);
        }

        @Test
        void optionals() {
            compile("""
                @Transactional("main")
                void pay() {
                  locks.tryAcquire(KEY).ifPresent(lease -> { try (lease) { work(); } }); \
                      // BUG released before the transaction
                  Optional<Lease> lease = locks.tryAcquire(KEY, Duration.ofSeconds(1)); \
                      // BUG released before the transaction
                  if (lease.isPresent()) {
                    try (Lease held = lease.get()) { work(); }
                  }
                }
                """);
        }

        @Test
        void lockInsideALock() {
            compile("""
                @Transactional
                void pay() {
                  locks.run(KEY, lease -> { // BUG released before the transaction
                    try (Lease inner = locks.acquire(LockKey.of("item", "2"))) { // BUG released before the transaction
                      work();
                    }
                  });
                }
                """);
        }

        @Test
        void methodOfATransactionalClass() {
            compile("""
                @Transactional
                class Payments {
                  public void pay() {
                    locks.run(KEY, lease -> work()); // BUG released before the transaction of pay()
                  }
                }
                class More extends Payments {
                  public void payMore() {
                    locks.run(KEY, lease -> work()); // BUG released before the transaction of payMore()
                  }
                }
                """);
        }

        @Test
        void annotationThatSpringFindsInAnInterfaceOrSuperclass() {
            compile("""
                interface Pays { @Transactional void pay(); }
                @Transactional interface Books { void book(); }
                static abstract class Base { @Transactional abstract void move(); }
                class Payments extends Base implements Pays, Books {
                  @Override public void pay() { locks.run(KEY, lease -> work()); } \
                      // BUG released before the transaction of pay()
                  @Override public void book() { locks.run(KEY, lease -> work()); } \
                      // BUG released before the transaction of book()
                  @Override void move() { locks.run(KEY, lease -> work()); } \
                      // BUG released before the transaction of move()
                  void other() { locks.run(KEY, lease -> work()); }
                }
                """);
        }

        @Test
        void lambdaOfForEach() {
            compile("""
                @Transactional
                void pay(List<LockKey> keys) {
                  keys.forEach(key -> locks.run(key, lease -> work())); // BUG released before the transaction
                }
                """);
        }

        @ParameterizedTest
        @ValueSource(strings = {"jakarta", "javax"})
        void annotationsOfJakarta(String home) {
            compile("""
                @%s.transaction.Transactional
                void pay() {
                  locks.run(KEY, lease -> work()); // BUG released before the transaction
                }
                """.formatted(home));
        }
    }

    @Nested
    class Correct {
        @Test
        void withoutTransaction() {
            compile("""
                void pay() { locks.run(KEY, lease -> work()); }
                """);
        }

        @Test
        void lockAroundTheTransaction() {
            compile("""
                void pay() { locks.run(KEY, lease -> inTransaction()); }
                @Transactional
                void inTransaction() { work(); }
                """);
        }

        @Test
        void propagationWithoutTransaction() {
            compile("""
                @Transactional(propagation = Propagation.NEVER)
                void one() { locks.run(KEY, lease -> work()); }
                @Transactional(propagation = Propagation.NOT_SUPPORTED)
                void two() { locks.run(KEY, lease -> work()); }
                @jakarta.transaction.Transactional(jakarta.transaction.Transactional.TxType.NEVER)
                void three() { locks.run(KEY, lease -> work()); }
                @javax.transaction.Transactional(javax.transaction.Transactional.TxType.NOT_SUPPORTED)
                void four() { locks.run(KEY, lease -> work()); }
                """);
        }

        @Test
        void annotationOfTheMethodOverridesThatOfItsClass() {
            compile("""
                @Transactional
                class Payments {
                  @Transactional(propagation = Propagation.NEVER)
                  public void pay() { locks.run(KEY, lease -> work()); }
                  Payments() { locks.run(KEY, lease -> work()); }
                  static void all(Locks locks) { locks.run(KEY, lease -> {}); }
                }
                """);
        }

        @Test
        void leaseThatOutlivesTheMethod() {
            compile("""
                @Transactional
                Lease one() { return locks.acquire(KEY); }
                @Transactional
                void two(Lease lease) { lease.close(); }
                @Transactional
                void three() {
                  Lease lease = locks.acquire(KEY);
                  afterCommit(() -> lease.close());
                  Lease other = locks.acquire(KEY);
                  afterCommit(other::close);
                }
                abstract void afterCommit(Runnable what);
                """);
        }

        @Test
        void otherThreadsAndClasses() {
            compile("""
                @Transactional
                void pay() {
                  executor.execute(() -> locks.run(KEY, lease -> work()));
                  use(new Object() { void later() { locks.run(KEY, lease -> work()); } });
                }
                """);
        }

        @Test
        void jakartaIgnoresInterfaces() {
            compile("""
                interface Pays { @jakarta.transaction.Transactional void pay(); }
                class Payments implements Pays {
                  @Override public void pay() { locks.run(KEY, lease -> work()); }
                }
                """);
        }

        @Test
        void unrelatedAnnotationNamedTransactional() {
            compile("""
                @interface  Transactional {}
                @Shop.Transactional
                void pay() { locks.run(KEY, lease -> work()); }
                """);
        }

        @Test
        void suppressed() {
            compile("""
                @SuppressWarnings("InterlockReleaseInTransaction")
                @Transactional
                void pay() { locks.run(KEY, lease -> work()); }
                """);
        }

        @Test
        void readOnlyTransaction() {
            compile("""
                @Transactional(readOnly = true)
                void pay() { locks.run(KEY, lease -> work()); }
                """);
        }

        @Test
        void lifeCycleCallback() {
            compile("""
                @Transactional
                class Payments {
                  @jakarta.annotation.PostConstruct
                  void start() { locks.run(KEY, lease -> work()); }
                }
                """);
        }
    }
}
