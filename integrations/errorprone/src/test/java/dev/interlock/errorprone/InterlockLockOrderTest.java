package dev.interlock.errorprone;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The declared order is character, item, account. A comment at the end of a line gives the expected report. */
@Tag("slow")
class InterlockLockOrderTest {
    private static final String ORDER =
            "static final LockOrder ORDER = LockOrder.of(\"character\", \"item\", \"account\");";

    private static void compile(String members) {
        Snippet.checkedBy(InterlockLockOrder.class).declaring(ORDER).compile(members);
    }

    @Nested
    class AgainstTheOrder {
        @Test
        void nestedTries() {
            compile("""
                void m(String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id))) {
                    try (Lease character = locks.acquire(LockKey.of("character", id))) { \
                        // BUG Waits for "character:…" while "item:…" is held since line 16
                      work();
                    }
                  }
                }
                """);
        }

        @Test
        void twoResourcesOfOneTry() {
            compile("""
                void m(String id) {
                  try (Lease account = locks.acquire(LockKey.of("account", id));
                      Lease item = locks.acquire(LockKey.of("item", id))) { \
                          // BUG against the declared order (character, item, account)
                    work();
                  }
                }
                """);
        }

        @Test
        void lambdaOfRun() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> {
                    locks.run(LockKey.of("character", id), inner -> work()); // BUG Acquire "character:…" first
                  });
                }
                """);
        }

        @Test
        void lambdasOfCallAndTryRun() {
            compile("""
                int m(String id) {
                  return locks.call(LockKey.of("account", id), lease -> {
                    boolean done = locks.tryRun(LockKey.of("item", id), Duration.ofSeconds(1), inner -> work()); \
                        // BUG Waits for "item:…"
                    return done ? 1 : 0;
                  });
                }
                """);
        }

        @Test
        void lockAcquiredWithoutPatienceCountsAsHeld() {
            compile("""
                boolean m(String id) {
                  return locks.tryRun(LockKey.of("item", id), lease -> {
                    locks.run(LockKey.of("character", id), inner -> work()); // BUG Waits for "character:…"
                  });
                }
                """);
        }

        @Test
        void methodOfTheSameClass() {
            compile("""
                void m(String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id))) {
                    pay(id); \
                        // BUG This call leads to line 22. Waits for "character:…" while "item:…" is held since line 16
                  }
                }
                private void pay(String id) {
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void methodThatCallsARecursiveMethod() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> {
                    first(id); // BUG This call leads to line 24
                  });
                }
                private void first(String id) { second(id); }
                void second(String id) {
                  if (maybe()) { first(id); }
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void methodReferenceAsWork() {
            compile("""
                void m() {
                  locks.run(
                    LockKey.of("item", "1"),
                    this::pay); // BUG This call leads to line 22
                }
                private void pay(Lease lease) {
                  locks.run(LockKey.of("character", "1"), inner -> work());
                }
                """);
        }

        @Test
        void leaseClosedAtTheEndOfTheBlock() {
            compile("""
                void m(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  work();
                  Lease character = locks.acquire(LockKey.of("character", id)); // BUG Waits for
                  character.close();
                  item.close();
                }
                """);
        }

        @Test
        void leaseInAField() {
            compile("""
                private Lease kept;
                void m(String id) {
                  kept = locks.acquire(LockKey.of("item", id));
                  locks.run(LockKey.of("character", id), lease -> work()); // BUG Waits for
                }
                """);
        }

        @Test
        void closedOnlyOnAPathThatReturns() {
            compile("""
                void m(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  if (maybe()) {
                    item.close();
                    return;
                  }
                  locks.run(LockKey.of("character", id), lease -> work()); // BUG Waits for
                  item.close();
                }
                """);
        }

        @Test
        void acquiredOnOneOfTwoPaths() {
            compile("""
                void m(String id) {
                  Lease item = null;
                  if (maybe()) {
                    item = locks.acquire(LockKey.of("item", id));
                  }
                  locks.run(LockKey.of("character", id), lease -> work()); // BUG Waits for
                }
                """);
        }

        @Test
        void requestsBuiltInSteps() {
            compile("""
                void m(String id) {
                  LockRequest<Lease> first = locks.with(LockKey.of("account", id)).waitAtMost(Duration.ofSeconds(1));
                  LockRequest<Lease> second = locks.with(LockKey.of("item", id)).shared();
                  try (Lease a = first.leaseFor(Duration.ofSeconds(9)).acquire()) {
                    second.run(lease -> work()); // BUG Waits for "item:…" while "account:…"
                  }
                }
                """);
        }

        @Test
        void keysInConstantsFieldsAndLocals() {
            compile("""
                private static final String TYPE = "ite" + "m";
                private final LockKey account = LockKey.of("account:main");
                void m(String id) {
                  LockKey item = LockKey.of(TYPE, id);
                  locks.run(account, lease -> {
                    locks.run(item, inner -> work()); // BUG Waits for "item:…" while "account:main"
                  });
                }
                """);
        }

        @Test
        void keysFromMethods() {
            compile("""
                private static LockKey key(String type, int id) { return LockKey.of(type, "" + id); }
                void m(int id) {
                  locks.run(key("item", id), lease -> {
                    locks.run(key("character", id), inner -> work()); // BUG Waits for "character:…" while "item:…"
                  });
                }
                """);
        }

        @Test
        void keysInParameters() {
            compile("""
                void m(String id) { both(LockKey.of("item", id), LockKey.of("character", id)); }
                private void both(LockKey first, LockKey second) {
                  try (Lease a = locks.acquire(first); Lease b = locks.acquire(second)) { \
                      // BUG Waits for "character:…" while "item:…"
                    work();
                  }
                }
                """);
        }

        @Test
        void typesByConstantsOfAnEnum() {
            Snippet.checkedBy(InterlockLockOrder.class).compile("""
                enum Types { PLAYER, GIFT_CARD }
                static final LockOrder ORDER = LockOrder.of(Types.class);
                void m(String id) {
                  locks.run(LockKey.of(Types.GIFT_CARD, id), lease -> {
                    locks.run(LockKey.of("player", id), inner -> work()); // BUG while "gift-card:…" is held
                  });
                }
                """);
        }

        @Test
        void keysCreatedByTypes() {
            Snippet.checkedBy(InterlockLockOrder.class).compile("""
                static final LockType ITEM = LockType.ranked("item", 20);
                static final LockType CHARACTER = LockType.ranked("character", 10).with(LockSettings.inherit());
                Interlock start(dev.interlock.spi.Backend backend) {
                  return Interlock.builder(backend).order(LockOrder.of(List.of(ITEM, CHARACTER))).build();
                }
                void m(String id) {
                  locks.run(ITEM.key(id), lease -> {
                    locks.run(CHARACTER.key(id), inner -> work()); // BUG declared order (character, item)
                  });
                }
                """);
        }

        @Test
        void wholeNamesAndConcatenations() {
            compile("""
                void m(int id) {
                  try (Lease a = locks.acquire(LockKey.of("account:" + id))) {
                    locks.run(LockKey.of("character:7"), lease -> work()); \
                        // BUG Waits for "character:7" while "account:…"
                  }
                }
                """);
        }

        @Test
        void setWithALowerKey() {
            compile("""
                void m(String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id));
                      LeaseSet both = \
                          locks.with(List.of(LockKey.of("account", id), LockKey.of("character", id))).acquire()) { \
                              // BUG Waits for "character:…"
                    work();
                  }
                }
                """);
        }

        @Test
        void setIsHeldLikeItsKeys() {
            compile("""
                void m(String id) {
                  List<LockKey> keys = List.of(LockKey.of("character", id), LockKey.of("account", id));
                  locks.with(keys).run(set -> {
                    locks.run(LockKey.of("item", id), lease -> work()); // BUG Waits for "item:…" while "account:…"
                  });
                }
                """);
        }

        @Test
        void rankedTypeAfterOneWithoutARank() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("mailbox", id), lease -> {
                    locks.run(LockKey.of("account", id), inner -> work()); \
                        // BUG Waits for "account:…" while "mailbox:…"
                  });
                }
                """);
        }

        @Test
        void typesWithoutARankByName() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("zoo", id), lease -> {
                    locks.run(LockKey.of("ark", id), inner -> work()); // BUG Waits for "ark:…" while "zoo:…"
                  });
                }
                """);
        }

        @Test
        void sameTypeByName() {
            compile("""
                void m() {
                  locks.run(LockKey.of("item", "2"), lease -> {
                    locks.run(LockKey.of("item", "1"), inner -> work()); // BUG Waits for "item:1" while "item:2"
                  });
                }
                """);
        }

        @Test
        void sameKeyAgain() {
            compile("""
                void m() {
                  try (Lease lease = locks.acquire(LockKey.of("item", "2"))) {
                    locks.tryAcquire(LockKey.of("item:2")).ifPresent(Lease::close); // BUG Acquires "item:2" again
                  }
                }
                """);
        }

        @Test
        void longestDeclaredTypeDecides() {
            Snippet.checkedBy(InterlockLockOrder.class).compile("""
                static final LockOrder ORDER = LockOrder.of("payment:order", "item", "payment");
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> {
                    locks.run(LockKey.of("payment:order:7"), inner -> work()); // BUG Waits for "payment:order:7"
                  });
                  locks.run(LockKey.of("payment", id), lease -> {
                    locks.run(LockKey.of("item", id), inner -> work()); // BUG Waits for "item:…" while "payment:…"
                  });
                }
                """);
        }

        @Test
        void undeclaredTypeInAClosedOrder() {
            Snippet.checkedBy(InterlockLockOrder.class).compile("""
                static final LockOrder ORDER = LockOrder.of("character", "item").closed();
                void m(String id) {
                  locks.run(LockKey.of("charakter", id), lease -> work()); \
                      // BUG The lock type of "charakter:…" is not declared
                }
                """);
        }

        @Test
        void unwrappedOptional() {
            compile("""
                void m(String id) {
                  Optional<Lease> item = locks.tryAcquire(LockKey.of("item", id));
                  if (item.isPresent()) {
                    try (Lease lease = item.get()) {
                      locks.run(LockKey.of("character", id), inner -> work()); // BUG Waits for
                    }
                  }
                }
                """);
        }

        @Test
        void visitedOptional() {
            compile("""
                void m(String id) {
                  locks.tryAcquire(LockKey.of("item", id)).ifPresent(lease -> {
                    try (lease) {
                      locks.run(LockKey.of("character", id), inner -> work()); // BUG Waits for
                    }
                  });
                }
                """);
        }

        @Test
        void leaseFromAMethodOfTheSameClass() {
            compile("""
                private Lease take(String id) { return locks.acquire(LockKey.of("item", id)); }
                void m(String id) {
                  try (Lease item = take(id)) {
                    locks.run(LockKey.of("character", id), lease -> work()); // BUG Waits for
                  }
                }
                """);
        }

        @Test
        void sameLocksByOtherNames() {
            compile("""
                Interlock interlock;
                void m() {
                  try (Lease item = this.locks.acquire(LockKey.of("item", "1"))) {
                    take(locks); // BUG Waits for
                  }
                  Locks ours = interlock.locks();
                  ours.run(LockKey.of("item", "1"), lease -> {
                    interlock.locks().run(LockKey.of("character", "1"), inner -> work()); // BUG Waits for
                  });
                }
                private void take(Locks given) { given.run(LockKey.of("character", "1"), lease -> work()); }
                """);
        }

        @Test
        void insideALambdaThatRunsElsewhere() {
            compile("""
                void m(String id) {
                  executor.execute(() -> {
                    try (Lease item = locks.acquire(LockKey.of("item", id))) {
                      pay(id); // BUG This call leads to line 23
                    }
                  });
                }
                private void pay(String id) { locks.run(LockKey.of("character", id), lease -> work()); }
                """);
        }

        @Test
        void insideAnAnonymousClassAndAConstructor() {
            compile("""
                Shop() {
                  locks.run(LockKey.of("item", "1"), lease -> {
                    locks.run(LockKey.of("character", "1"), inner -> work()); // BUG Waits for
                  });
                }
                Runnable r = new Runnable() {
                  @Override public void run() {
                    locks.run(LockKey.of("account", "1"), lease -> {
                      locks.run(LockKey.of("character", "1"), inner -> work()); // BUG Waits for
                    });
                  }
                };
                """);
        }

        @Test
        void leaseInTwoVariables() {
            compile("""
                private Lease current;
                void m(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  current = item;
                  locks.run(LockKey.of("character", id), lease -> work()); // BUG Waits for
                  current.close();
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void leaseCheckedForNull() {
            compile("""
                void m(String id) {
                  Lease item = locks.tryAcquire(LockKey.of("item", id)).orElse(null);
                  if (item == null) { return; }
                  locks.run(LockKey.of("character", id), lease -> work()); // BUG Waits for
                  item.close();
                }
                void n(String id) {
                  Lease item = locks.tryAcquire(LockKey.of("item", id)).orElse(null);
                  if (item == null) { work(); }
                  locks.run(LockKey.of("character", id), lease -> work()); // BUG Waits for
                  if (item != null) { item.close(); }
                }
                """);
        }

        @Test
        void loopThatEndsWithTheLock() {
            compile("""
                void m(String id) {
                  Lease item = null;
                  while (true) {
                    try {
                      item = locks.acquire(LockKey.of("item", id));
                      break;
                    } catch (LockTimeoutException e) {
                      work();
                    }
                  }
                  locks.run(LockKey.of("character", id), lease -> work()); // BUG Waits for
                  item.close();
                }
                """);
        }

        @Test
        void casesOfASwitchExpression() {
            compile("""
                int m(int which, String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id))) {
                    return switch (which) {
                      case 1 -> locks.call(LockKey.of("character", id), lease -> 1); // BUG Waits for
                      case 2 -> {
                        int n = locks.call(LockKey.of("character", id), lease -> 2); // BUG Waits for
                        yield n;
                      }
                      default -> 0;
                    };
                  }
                }
                """);
        }

        @Test
        void leaseReadByTheWork() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> {
                    use(lease);
                    lease.ensureHeld();
                    locks.run(LockKey.of("character", id), inner -> work()); // BUG Waits for "character:…"
                  });
                }
                """);
        }

        @Test
        void lambdaOfForEach() {
            compile("""
                void m(List<String> ids, Map<String, String> more) {
                  try (Lease item = locks.acquire(LockKey.of("item", "1"))) {
                    ids.forEach(id -> locks.run(LockKey.of("character", id), inner -> work())); \
                        // BUG Waits for "character:…"
                    more.forEach((id, name) -> pay(id)); // BUG This call leads to line
                    ids.forEach(this::pay); // BUG This call leads to line
                  }
                }
                private void pay(String id) { locks.run(LockKey.of("character", id), lease -> work()); }
                """);
        }

        @Test
        void workInAVariable() {
            compile("""
                private final LockedAction<Lease, RuntimeException> kept = lease -> pay("1");
                void m(String id) {
                  LockedAction<Lease, RuntimeException> job = \
                      lease -> locks.run(LockKey.of("character", id), inner -> work());
                  locks.run(LockKey.of("item", id), job); \
                      // BUG This call leads to line 17. Waits for "character:…" while "item:…"
                  locks.run(LockKey.of("account", id), this.kept); // BUG This call leads to line
                  LockedFunction<Lease, Integer, RuntimeException> reference = this::count;
                  int n = locks.call(LockKey.of("item", id), reference); // BUG This call leads to line
                  use(n);
                }
                private int count(Lease lease) { pay("2"); return 1; }
                private void pay(String id) { locks.run(LockKey.of("character", id), lease -> work()); }
                """);
        }

        @Test
        void workInAParameterOrFromAMethod() {
            compile("""
                void m(String id) {
                  locked(LockKey.of("item", id), lease -> locks.run(LockKey.of("character", id), inner -> work()));
                  locks.run(LockKey.of("item", id), paying("character", id)); // BUG This call leads to line
                }
                private void locked(LockKey key, LockedAction<Lease, RuntimeException> job) {
                  locks.run(key, job); // BUG This call leads to line
                }
                private LockedAction<Lease, RuntimeException> paying(String type, String id) {
                  return lease -> locks.run(LockKey.of(type, id), inner -> work());
                }
                """);
        }

        @Test
        void workInAnAnonymousClass() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", id), new LockedAction<Lease, RuntimeException>() { \
                      // BUG This call leads to line
                    @Override public void run(Lease lease) { pay(); }
                    private void pay() { locks.run(LockKey.of("character", id), inner -> work()); }
                  });
                  LockedFunction<Lease, Integer, RuntimeException> job = new LockedFunction<>() {
                    @Override public Integer call(Lease lease) {
                      locks.run(LockKey.of("character", id), inner -> work());
                      return 1;
                    }
                  };
                  int n = locks.call(LockKey.of("account", id), job); // BUG This call leads to line
                  use(n);
                }
                """);
        }

        @Test
        void sameLocksOfTheEnclosingClass() {
            compile("""
                class Inner {
                  void m(String id) {
                    try (Lease item = Shop.this.locks.acquire(LockKey.of("item", id))) {
                      locks.run(LockKey.of("character", id), lease -> work()); // BUG Waits for
                    }
                  }
                }
                """);
        }
    }

    @Nested
    class Correct {
        @Test
        void locksOfAnotherProcess() {
            compile("""
                Locks others;
                Interlock second;
                void m() {
                  try (Lease item = locks.acquire(LockKey.of("item", "1"))) {
                    others.run(LockKey.of("character", "1"), lease -> work());
                    second.locks().run(LockKey.of("item", "1"), lease -> work());
                  }
                }
                """);
        }

        @Test
        void inOrder() {
            compile("""
                void m(String id) {
                  try (Lease character = locks.acquire(LockKey.of("character", id));
                      Lease item = locks.acquire(LockKey.of("item", id))) {
                    locks.run(LockKey.of("account", id), lease -> work());
                  }
                }
                """);
        }

        @Test
        void oneAfterTheOther() {
            compile("""
                void m(String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id))) {
                    work();
                  } finally {
                    locks.run(LockKey.of("character", id), lease -> work());
                  }
                  locks.run(LockKey.of("account", id), lease -> work());
                  locks.run(LockKey.of("item", id), lease -> work());
                }
                """);
        }

        @Test
        void catchRunsAfterResourcesAreClosed() {
            compile("""
                void m(String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id))) {
                    work();
                  } catch (IllegalStateException e) {
                    locks.run(LockKey.of("character", id), lease -> work());
                  }
                }
                """);
        }

        @Test
        void alreadyClosed() {
            compile("""
                void m(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  item.release();
                  Lease account = locks.acquire(LockKey.of("account", id));
                  try { work(); } finally { account.close(); }
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void workThatClosesItsLease() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> {
                    lease.close();
                    locks.run(LockKey.of("character", id), inner -> work());
                  });
                  locks.run(LockKey.of("item", id), this::finish);
                  locks.tryAcquire(LockKey.of("item", id)).ifPresent(this::finish);
                }
                private void finish(Lease lease) {
                  lease.close();
                  locks.run(LockKey.of("character", "1"), inner -> work());
                }
                int n(String id) {
                  return locks.call(LockKey.of("item", id), lease -> {
                    use(lease.release());
                    return locks.call(LockKey.of("character", id), inner -> 1);
                  });
                }
                """);
        }

        @Test
        void booleanVariableForAPresentLease() {
            compile("""
                void m(String id) {
                  Lease lease = locks.tryAcquire(LockKey.of("item", id)).orElse(null);
                  boolean got = lease != null;
                  if (!got) {
                    locks.run(LockKey.of("character", id), inner -> work());
                    return;
                  }
                  try { work(); } finally { lease.close(); }
                }
                """);
        }

        @Test
        void leaseClosedByUntrackedCode() {
            compile("""
                private Lease kept;
                class Closer { void end() { kept.close(); } }
                interface Ends { void end(Shop shop); }
                void m(Closer closer, Ends ends, String id) throws Exception {
                  kept = locks.acquire(LockKey.of("item", id));
                  closer.end();
                  locks.run(LockKey.of("character", id), lease -> work());
                  kept = locks.acquire(LockKey.of("item", id));
                  ends.end(this);
                  locks.run(LockKey.of("character", id), lease -> work());
                  Lease local = locks.acquire(LockKey.of("item", id));
                  AutoCloseable closeable = local;
                  closeable.close();
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void forEachThatClosesTheLease() {
            compile("""
                void m(List<String> ids) {
                  Lease lease = locks.acquire(LockKey.of("item", "1"));
                  ids.forEach(id -> { if (lease.isHeld()) { lease.close(); } });
                  locks.run(LockKey.of("character", "1"), inner -> work());
                }
                """);
        }

        @Test
        void closedOnOneOfTwoPaths() {
            compile("""
                void m(String id) {
                  Lease item = maybe() ? locks.acquire(LockKey.of("item", id)) : null;
                  if (item != null) {
                    item.close();
                  }
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void withoutPatience() {
            compile("""
                boolean m(String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id))) {
                    Optional<Lease> one = locks.tryAcquire(LockKey.of("character", id));
                    one.ifPresent(Lease::close);
                    Optional<Lease> two = locks.with(LockKey.of("character", id)).tryAcquire(Duration.ZERO);
                    two.ifPresent(Lease::close);
                    Duration none = Duration.ofMillis(0);
                    locks.with(LockKey.of("character", id)).waitAtMost(none).acquire().close();
                    return locks.tryRun(LockKey.of("character", id), lease -> work());
                  }
                }
                """);
        }

        @Test
        void bothAtOnce() {
            compile("""
                void m(String id) {
                  try (LeaseSet both = \
                      locks.with(List.of(LockKey.of("item", id), LockKey.of("character", id))).acquire()) {
                    locks.run(LockKey.of("account", id), lease -> work());
                  }
                }
                """);
        }

        @Test
        void sameTypeWithUnknownIds() {
            compile("""
                void m(String a, String b) {
                  locks.run(LockKey.of("item", a), lease -> {
                    locks.run(LockKey.of("item", b), inner -> work());
                    locks.run(LockKey.of("item", "1"), inner -> work());
                  });
                }
                """);
        }

        @Test
        void sameTypeInTheOrderOfNames() {
            compile("""
                void m() {
                  locks.run(LockKey.of("item", "1"), lease -> {
                    locks.run(LockKey.of("item", "2"), inner -> work());
                  });
                }
                """);
        }

        @Test
        void sameKeyReentrant() {
            compile("""
                void m() {
                  LockKey key = LockKey.of("item", "1");
                  try (Lease outer = locks.acquire(key); Lease inner = locks.with(key).reentrant().acquire()) {
                    work();
                  }
                }
                """);
        }

        @Test
        void reentrantRequestThatMayJoinAnEarlierHold() {
            compile("""
                void m(String id) {
                  try (Lease a = locks.acquire(LockKey.of("character", id)); \
                      Lease b = locks.acquire(LockKey.of("item", id))) {
                    locks.with(LockKey.of("character", id)).reentrant().run(lease -> work());
                  }
                }
                """);
        }

        @Test
        void keysOfUnknownTypes() {
            compile("""
                void m(String type, LockKey key, String name) {
                  locks.run(LockKey.of("account", "1"), lease -> {
                    locks.run(LockKey.of(type, "1"), inner -> work());
                    locks.run(key, inner -> work());
                    locks.run(LockKey.of(name), inner -> work());
                    locks.run(LockKey.of("char" + name), inner -> work());
                  });
                  locks.run(key, lease -> locks.run(LockKey.of("character", "1"), inner -> work()));
                }
                """);
        }

        @Test
        void reassignedVariables() {
            compile("""
                private LockKey field = LockKey.of("character", "1");
                LockKey open = LockKey.of("character", "1");
                void set(LockKey other) { field = other; }
                void m() {
                  LockKey local = LockKey.of("character", "1");
                  if (maybe()) { local = LockKey.of("account", "1"); }
                  LockKey last = local;
                  try (Lease item = locks.acquire(LockKey.of("item", "1"))) {
                    locks.acquire(last).close();
                    locks.acquire(field).close();
                    locks.acquire(open).close();
                  }
                }
                """);
        }

        @Test
        void reassignedParameters() {
            compile("""
                void m() {
                  locks.run(LockKey.of("item", "1"), lease -> take(LockKey.of("character", "1")));
                }
                private void take(LockKey key) {
                  key = maybe() ? key : LockKey.of("account", "1");
                  locks.run(key, lease -> work());
                }
                """);
        }

        @Test
        void invalidKeys() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", "\\n"), lease -> {
                    locks.run(LockKey.of("character", "\\n" + id), inner -> work());
                    locks.run(LockKey.of("", id), inner -> work());
                  });
                }
                """);
        }

        @Test
        void mutuallyRecursiveMethods() {
            StringBuilder methods = new StringBuilder();
            for (int i = 0; i < 30; i++) {
                methods.append(
                        ("private void m%d(String id) { m%d(id); m%d(id); locks.run(LockKey.of(\"item\", id), lease ->"
                                        + " m%d(id)); }%n")
                                .formatted(i, (i + 1) % 30, (i + 7) % 30, (i + 3) % 30));
            }
            compile(methods.toString());
        }

        @Test
        void otherThreads() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> {
                    executor.execute(() -> locks.run(LockKey.of("character", id), inner -> work()));
                    new Thread(() -> pay(id)).start();
                    new Thread(this::pay).start();
                    CompletableFuture.runAsync(() -> pay(id));
                  });
                }
                private void pay(String id) { locks.run(LockKey.of("character", id), lease -> work()); }
                private void pay() { pay("1"); }
                """);
        }

        @Test
        void anonymousAndOtherClasses() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> {
                    use(new Object() {
                      void later() { locks.run(LockKey.of("character", id), inner -> work()); }
                    });
                    new Other().pay(id);
                  });
                }
                class Other {
                  void pay(String id) { locks.run(LockKey.of("character", id), lease -> work()); }
                }
                """);
        }

        @Test
        void workInAVariableInOrderOrUnknown() {
            compile("""
                private LockedAction<Lease, RuntimeException> changes = lease -> pay("1");
                LockedAction<Lease, RuntimeException> open = lease -> pay("1");
                private final LockedAction<Lease, RuntimeException> again = lease -> again();
                void set() { changes = lease -> work(); }
                void again() { locks.with(LockKey.of("item", "1")).reentrant().run(again); }
                void m(String id) {
                  LockedAction<Lease, RuntimeException> fine = \
                      lease -> locks.run(LockKey.of("account", id), inner -> work());
                  locks.run(LockKey.of("item", id), fine);
                  locks.run(LockKey.of("item", id), changes);
                  locks.run(LockKey.of("item", id), open);
                  LockedAction<Lease, RuntimeException> one = lease -> pay(id);
                  locks.run(LockKey.of("item", id), maybe() ? one : fine);
                  LockedAction<Lease, RuntimeException> closing = lease -> { lease.close(); pay(id); };
                  locks.run(LockKey.of("item", id), closing);
                  LockedAction<Lease, RuntimeException> without = \
                      lease -> locks.tryAcquire(LockKey.of("character", id)).ifPresent(Lease::close);
                  locks.run(LockKey.of("item", id), without);
                  executor.execute(() -> locks.run(LockKey.of("character", id), one));
                  @SuppressWarnings("InterlockLockOrder")
                  LockedAction<Lease, RuntimeException> suppressed = lease -> pay(id);
                  locks.run(LockKey.of("item", id), suppressed);
                }
                private void pay(String id) { locks.run(LockKey.of("character", id), lease -> work()); }
                """);
        }

        @Test
        void workCreatedBeforeTheLockIsAcquired() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", id), made(id));
                }
                private LockedAction<Lease, RuntimeException> made(String id) {
                  locks.run(LockKey.of("character", id), lease -> work());
                  return lease -> work();
                }
                """);
        }

        @Test
        void workOfAnotherClass() {
            Snippet.checkedBy(InterlockLockOrder.class)
                    .declaring(ORDER)
                    .beside("com/acme/Jobs.java", """
                        package com.acme;
                        import dev.interlock.lock.*;
                        interface Jobs {
                          Locks LOCKS = null;
                          LockedAction<Lease, RuntimeException> PAY =
                              lease -> LOCKS.run(LockKey.of("character", "1"), inner -> System.gc());
                        }
                        """)
                    .compile("""
                        void m(String id) {
                          Jobs.LOCKS.run(LockKey.of("item", id), Jobs.PAY);
                          Jobs.LOCKS.run(LockKey.of("item", id), new Pay());
                        }
                        class Pay implements LockedAction<Lease, RuntimeException> {
                          @Override public void run(Lease lease) { \
                              Jobs.LOCKS.run(LockKey.of("character", "1"), inner -> work()); }
                        }
                        """);
        }

        @Test
        void asynchronousWaitsDoNotBlock() {
            compile("""
                PendingLease<Lease> m(String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id))) {
                    return locks.acquireAsync(LockKey.of("character", id));
                  }
                }
                """);
        }

        @Test
        void anotherScope() {
            compile("""
                void m(String id, LockScope scope) {
                  try (Lease item = locks.with(LockKey.of("item", id)).in(scope).acquire()) {
                    locks.run(LockKey.of("character", id), lease -> work());
                  }
                  locks.run(LockKey.of("item", id), lease -> {
                    locks.with(LockKey.of("character", id)).in(scope).run(inner -> work());
                    scope.run(() -> locks.run(LockKey.of("character", id), inner -> work()));
                  });
                }
                """);
        }

        @Test
        void unrankedTypeLast() {
            compile("""
                void m(String id) {
                  locks.run(LockKey.of("account", id), lease -> {
                    locks.run(LockKey.of("aardvark", id), inner -> locks.run(LockKey.of("zoo", id), last -> work()));
                  });
                }
                """);
        }

        @Test
        void emptyOptional() {
            compile("""
                void m(String id) {
                  Optional<Lease> item = locks.tryAcquire(LockKey.of("item", id));
                  if (item.isEmpty()) {
                    locks.run(LockKey.of("character", id), lease -> work());
                    return;
                  }
                  item.get().close();
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void leasePassedOn() {
            compile("""
                private List<Lease> kept = new ArrayList<>();
                void m(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  finish(item);
                  locks.run(LockKey.of("character", id), lease -> work());
                  kept.add(locks.acquire(LockKey.of("account", id)));
                  locks.run(LockKey.of("character", id), lease -> work());
                  Lease other = locks.acquire(LockKey.of("item", id));
                  executor.execute(() -> other.close());
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                private void finish(Lease lease) { lease.close(); }
                """);
        }

        @Test
        void methodThatReturnsOneOfTwoTypes() {
            compile("""
                private LockKey key(String id) {
                  if (maybe()) { return LockKey.of("character", id); }
                  return LockKey.of("account", id);
                }
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> locks.run(key(id), inner -> work()));
                }
                """);
        }

        @Test
        void branchesOfASwitchAndLoops() {
            compile("""
                void m(int which, String id) {
                  switch (which) {
                    case 1:
                      locks.run(LockKey.of("item", id), lease -> work());
                      break;
                    default:
                      locks.run(LockKey.of("character", id), lease -> work());
                  }
                  for (int i = 0; i < which; i++) {
                    Lease item = locks.acquire(LockKey.of("item", id));
                    if (i == 3) { item.close(); break; }
                    item.close();
                  }
                  while (maybe()) { locks.run(LockKey.of("character", id), lease -> work()); }
                }
                """);
        }

        @Test
        void declaredTypesInAClosedOrder() {
            Snippet.checkedBy(InterlockLockOrder.class).compile("""
                static final LockOrder ORDER = LockOrder.of("character", "item").closed();
                void m(String id, String name) {
                  locks.run(LockKey.of("character", id), lease -> \
                      locks.run(LockKey.of("item:box", id), inner -> work()));
                  locks.run(LockKey.of(name), lease -> work());
                  locks.run(LockKey.of("it" + name), lease -> work());
                }
                """);
        }

        @Test
        void suppressed() {
            compile("""
                @SuppressWarnings("InterlockLockOrder")
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> locks.run(LockKey.of("character", id), inner -> work()));
                }
                void n(String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id))) {
                    @SuppressWarnings("InterlockLockOrder")
                    Lease character = locks.acquire(LockKey.of("character", id));
                    character.close();
                    pay(id);
                  }
                }
                @SuppressWarnings("InterlockLockOrder")
                private void pay(String id) { locks.run(LockKey.of("character", id), lease -> work()); }
                @SuppressWarnings("InterlockLockOrder")
                class Inner {
                  void m(String id) {
                    locks.run(LockKey.of("item", id), lease -> locks.run(LockKey.of("character", id), inner -> work()));
                  }
                }
                """);
        }

        @Test
        void noOrderAtAll() {
            Snippet.checkedBy(InterlockLockOrder.class).compile("""
                void m(String id) {
                  locks.run(LockKey.of("item", id), lease -> locks.run(LockKey.of("character", id), inner -> work()));
                }
                """);
        }

        @Test
        void leaseClosedThroughAnotherVariable() {
            compile("""
                private Lease current;
                void m(String id) {
                  try (Lease item = locks.acquire(LockKey.of("item", id))) {
                    current = item;
                    work();
                  }
                  locks.run(LockKey.of("character", id), lease -> work());
                  Lease item = locks.acquire(LockKey.of("item", id));
                  Lease same = (Lease) item;
                  if (maybe()) { current = same; }
                  item.close();
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void nullLease() {
            compile("""
                void m(String id) {
                  Lease item = locks.tryAcquire(LockKey.of("item", id)).orElse(null);
                  if (item == null) {
                    locks.run(LockKey.of("character", id), lease -> work());
                    return;
                  }
                  try (item) { work(); }
                }
                Lease n(String id) {
                  Lease item = locks.tryAcquire(LockKey.of("item", id)).orElse(null);
                  if (item != null) { return item; }
                  locks.run(LockKey.of("character", id), lease -> work());
                  return null;
                }
                """);
        }

        @Test
        void tryFirstThenWait() {
            compile("""
                void m() {
                  LockKey key = LockKey.of("item", "1");
                  Lease lease = locks.tryAcquire(key).orElse(null);
                  if (lease == null) {
                    work();
                    lease = locks.acquire(key);
                  }
                  try (Lease held = lease) { work(); }
                }
                void n() {
                  LockKey key = LockKey.of("item", "1");
                  Lease lease = locks.tryAcquire(key).orElse(null);
                  while (lease == null) { lease = locks.tryAcquire(key).orElse(null); }
                  lease.close();
                  Lease first = locks.tryAcquire(key).orElse(null);
                  Lease sure = first != null ? first : locks.acquire(key);
                  sure.close();
                }
                """);
        }

        @Test
        void leaseInAnArray() {
            compile("""
                void m(String id) {
                  Lease[] all = new Lease[1];
                  all[0] = locks.acquire(LockKey.of("item", id));
                  all[0].close();
                  locks.run(LockKey.of("character", id), lease -> work());
                  Lease item = locks.acquire(LockKey.of("item", id));
                  for (Lease each : new Lease[] {item}) { each.close(); }
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void leaseClosedByAMethodReference() {
            compile("""
                void m(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  executor.execute(item::close);
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void leaseClosedByTheCalledMethod() {
            compile("""
                private Lease kept;
                void m(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  finish(item, id);
                  kept = locks.acquire(LockKey.of("item", id));
                  boolean was = stop();
                  locks.run(LockKey.of("character", id), lease -> work());
                  kept = locks.acquire(LockKey.of("item", id));
                  last();
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                private void finish(Lease lease, String id) {
                  lease.close();
                  locks.run(LockKey.of("character", id), one -> work());
                }
                private boolean stop() {
                  if (kept != null) {
                    kept.close();
                    return true;
                  }
                  return false;
                }
                private void last() { try (Lease lease = kept) { work(); } }
                """);
        }

        @Test
        void leaseInAFieldThatASuperclassMayClose() {
            compile("""
                static class Base {
                  protected Lease lease;
                  void unlock() { lease.close(); }
                }
                class Sub extends Base {
                  void m(String id) {
                    lease = locks.acquire(LockKey.of("item", id));
                    try { use(id); } finally { unlock(); }
                    locks.run(LockKey.of("character", id), one -> work());
                  }
                }
                """);
        }

        @Test
        void optionalClosedAtTheEnd() {
            compile("""
                void m(String id) {
                  Optional<Lease> got = locks.tryAcquire(LockKey.of("item", id));
                  Lease item = got.orElse(null);
                  try { work(); } finally { got.ifPresent(Lease::close); }
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void pathsThatJumpOrReturn() {
            compile("""
                Lease m(int which, String id) {
                  switch (which) {
                    case 1:
                      Lease item = locks.acquire(LockKey.of("item", id));
                      return item;
                    case 2:
                      Lease other = locks.acquire(LockKey.of("item", id));
                      try { work(); } finally { other.close(); }
                      break;
                    default:
                  }
                  locks.run(LockKey.of("character", id), lease -> work());
                  Lease slot = null;
                  for (int i = 0; i < which; i++) {
                    Optional<Lease> got = locks.tryAcquire(LockKey.of("item", id));
                    if (got.isPresent()) {
                      slot = got.get();
                      break;
                    }
                    locks.run(LockKey.of("character", id), lease -> work());
                  }
                  return slot;
                }
                void n(List<String> ids) {
                  outer:
                  for (String id : ids) {
                    try (Lease item = locks.acquire(LockKey.of("item", id))) {
                      if (maybe()) { break; }
                      while (maybe()) { if (maybe()) { continue outer; } else { break outer; } }
                    }
                  }
                  locks.run(LockKey.of("character", "1"), lease -> work());
                }
                void o(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  while (true) {
                    if (maybe()) { item.close(); break; }
                    work();
                  }
                  locks.run(LockKey.of("character", id), lease -> work());
                }
                """);
        }

        @Test
        void closedInATryThatReturnsOrThrows() {
            compile("""
                void m(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  try {
                    item.close();
                    return;
                  } finally {
                    locks.run(LockKey.of("character", id), lease -> work());
                  }
                }
                void n(String id) {
                  Lease item = locks.acquire(LockKey.of("item", id));
                  try {
                    if (maybe()) { item.close(); throw new IllegalStateException(); }
                  } catch (IllegalStateException e) {
                    locks.run(LockKey.of("character", id), lease -> work());
                  }
                }
                """);
        }

        @Test
        void locksThatCannotBeDistinguished() {
            compile("""
                Locks[] shards;
                Map<String, Locks> regions;
                void m(int a, int b, String id) {
                  shards[a].run(LockKey.of("item", id), lease -> \
                      shards[b].run(LockKey.of("character", id), inner -> work()));
                  regions.get("eu").run(LockKey.of("item", id), lease -> \
                      regions.get("us").run(LockKey.of("character", id), inner -> work()));
                }
                """);
        }

        @Test
        void methodsThatReturnTheirOwnResult() {
            compile("""
                LockKey find(int n) {
                  if (n == 0) { return LockKey.of("item", "1"); }
                  return n % 2 == 0 ? find(n / 2) : find(n - 1);
                }
                String twice(String text) { return twice(text) + twice(text); }
                LockRequest<Lease> again() { return again().shared(); }
                Shop next() { return next().next(); }
                LockType type() { return type().with(LockSettings.inherit()); }
                LockType named() { return LockType.of(named().name()); }
                <T> Optional<T> inner() { return this.<Optional<T>>inner().get(); }
                void n() {
                  locks.run(named().key("1"), lease -> work());
                  try (Lease lease = this.<Lease>inner().get()) { work(); }
                }
                void m() {
                  locks.run(find(7), lease -> locks.run(LockKey.of(twice("x")), inner -> work()));
                  again().run(lease -> next().locks.run(type().key("1"), inner -> work()));
                }
                """);
        }

        @Test
        void applicationTypeNamedLocks() {
            compile("""
                abstract class Mine implements Locks, Runnable {
                  @Override public void run() {}
                  void m() { run(); this.run(); run(LockKey.of("item", "1"), lease -> work()); }
                }
                """);
        }

        @Test
        void applicationTypeNamedLocksWithRequests() {
            compile("""
                interface Mine extends Locks {
                  LockRequest<Lease> with();
                  LockRequest<Lease> with(String type, String id);
                }
                interface Request extends LockRequest<Lease> { Request waitAtMost(); }
                void m(Mine mine, Request request) {
                  mine.with().run(lease -> mine.with("character", "1").run(inner -> work()));
                  try (Lease lease = mine.with().acquire()) { request.waitAtMost().run(inner -> work()); }
                }
                """);
        }
    }
}
