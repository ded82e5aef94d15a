package dev.interlock.errorprone;

import com.google.errorprone.BugCheckerRefactoringTestHelper;
import com.google.errorprone.BugCheckerRefactoringTestHelper.TestMode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class InterlockUnclosedLeaseTest {
    private static void compile(String members) {
        Snippet.checkedBy(InterlockUnclosedLease.class)
                .declaring("static final LockKey KEY = LockKey.of(\"item\", \"1\");")
                .compile(members);
    }

    @Nested
    class NotClosed {
        @Test
        void statement() {
            compile("""
                void m() {
                  locks.acquire(KEY); // BUG This lease is never closed
                  locks.with(List.of(KEY)).acquire(); // BUG Use try-with-resources
                }
                """);
        }

        @Test
        void lambdaWithoutAResult() {
            compile("""
                void m() {
                  executor.execute(() -> locks.acquire(KEY)); // BUG This lease is never closed
                }
                """);
        }

        @Test
        void methodReferenceWithoutAResult() {
            compile("""
                void m(List<LockKey> keys) {
                  keys.forEach(locks::acquire); // BUG This lease is never closed
                }
                """);
        }

        @Test
        void jumpsBeforeTheTry() {
            compile("""
                void m(List<String> ids, boolean flag) {
                  for (String id : ids) {
                    Lease one = locks.acquire(LockKey.of("item", id)); // BUG This lease is not closed on every path
                    if (maybe()) { continue; }
                    try (one) { work(); }
                    Lease two = locks.acquire(LockKey.of("item", id)); // BUG This lease is not closed on every path
                    if (flag) { break; }
                    two.close();
                  }
                }
                """);
        }

        @Test
        void unrelatedBooleanVariable() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY); // BUG This lease is not closed on every path
                  boolean other = maybe();
                  if (other) { try (lease) { work(); } }
                }
                """);
        }

        @Test
        void variableThatIsOnlyRead() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY); // BUG This lease is never closed
                  fence.raise(lease);
                  lease.ensureHeld();
                  if (lease != null) { work(); }
                }
                """);
        }

        @Test
        void setAndFluentRequest() {
            compile("""
                void m() {
                  LeaseSet set = locks.with(List.of(KEY)).waitAtMost(Duration.ofSeconds(1)).shared().acquire(); \
                      // BUG This lease is never closed
                  use(set.keys());
                }
                """);
        }

        @Test
        void onlyTheTokenIsUsed() {
            compile("""
                long m() {
                  return locks.acquire(KEY).token().value(); // BUG This lease is never closed
                }
                """);
        }

        @Test
        void closedOnlyWithoutExceptions() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY); // BUG This lease is not closed on every path
                  work();
                  lease.close();
                }
                """);
        }

        @Test
        void closedInOneBranch() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY); // BUG This lease is not closed on every path
                  if (maybe()) {
                    lease.release();
                  }
                }
                """);
        }

        @Test
        void returnsBeforeTheTry() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY); // BUG This lease is not closed on every path
                  if (maybe()) {
                    return;
                  }
                  try { work(); } finally { lease.close(); }
                }
                """);
        }

        @Test
        void secondLockIsAcquiredBeforeTheTry() {
            compile("""
                void m() {
                  Lease one = locks.acquire(KEY); // BUG This lease is not closed on every path
                  Lease two = locks.acquire(LockKey.of("item", "2"));
                  try { work(); } finally { two.close(); one.close(); }
                }
                """);
        }

        @Test
        void conditionalTry() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY); // BUG This lease is not closed on every path
                  if (maybe()) {
                    try (lease) { work(); }
                  }
                }
                """);
        }

        @Test
        void optionalThatIsOnlyChecked() {
            compile("""
                void m() {
                  if (locks.tryAcquire(KEY).isPresent()) { // BUG This lease is never closed
                    work();
                  }
                  Optional<Lease> lease = locks.tryAcquire(KEY); // BUG This lease is never closed
                  if (lease.isPresent()) { work(); }
                }
                """);
        }

        @Test
        void unwrappedOptional() {
            compile("""
                void m() {
                  Lease lease = locks.tryAcquire(KEY).orElseThrow(); // BUG This lease is never closed
                  work();
                  Lease other = locks.tryAcquire(KEY, Duration.ofSeconds(1)).orElse(null); \
                      // BUG not closed on every path
                  work();
                  if (other != null) { other.close(); }
                }
                """);
        }

        @Test
        void visitedOptional() {
            compile("""
                void m() {
                  locks.tryAcquire(KEY).ifPresent(lease -> work()); // BUG This lease is never closed
                  use(locks.tryAcquire(KEY).map(Lease::token)); // BUG This lease is never closed
                  locks.tryAcquire(KEY).ifPresent(lease -> { work(); lease.close(); }); // BUG not closed on every path
                }
                """);
        }

        @Test
        void reusedVariable() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY);
                  lease.close();
                  lease = locks.acquire(KEY); // BUG This lease is not closed on every path
                  try { work(); } finally { work(); }
                }
                """);
        }

        @Test
        void lambdaThatOnlyReads() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY); // BUG This lease is never closed
                  executor.execute(() -> lease.ensureHeld());
                }
                """);
        }

        @Test
        void closedInOneBranchOfTwo() {
            compile("""
                void m(int n) {
                  Lease one = locks.acquire(KEY); // BUG This lease is not closed on every path
                  if (maybe()) { one.close(); } else { work(); }
                  Lease two = locks.acquire(KEY); // BUG This lease is not closed on every path
                  switch (n) { case 1 -> two.close(); default -> work(); }
                }
                """);
        }

        @Test
        void closedOnlyAfterAnException() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY); // BUG This lease is not closed on every path
                  try { work(); } catch (RuntimeException e) { lease.close(); throw e; }
                }
                """);
        }

        @Test
        void optionalFilter() {
            compile("""
                void m() {
                  locks.tryAcquire(KEY).filter(Lease::isHeld).ifPresent(lease -> work()); \
                      // BUG This lease is never closed
                }
                """);
        }

        @Test
        void presentOptionalClosedOnlyWithoutExceptions() {
            compile("""
                void m() {
                  Optional<Lease> lease = locks.tryAcquire(KEY); // BUG This lease is not closed on every path
                  if (lease.isPresent()) { work(); lease.get().close(); }
                }
                """);
        }

        @Test
        void returnsBeforeTheOptionalIsUnwrapped() {
            compile("""
                void m() {
                  Optional<Lease> got = locks.tryAcquire(KEY); // BUG This lease is not closed on every path
                  if (maybe()) { return; }
                  try (Lease lease = got.orElseThrow()) { work(); }
                }
                void n() {
                  Optional<Lease> got = locks.tryAcquire(KEY); // BUG This lease is not closed on every path
                  boolean other = maybe();
                  if (other) { throw new IllegalStateException(); }
                  Lease lease = got.get();
                  try (lease) { work(); }
                }
                void o() {
                  Optional<Lease> got = locks.tryAcquire(KEY); // BUG This lease is not closed on every path
                  if (got.isEmpty()) { return; }
                  locks.run(LockKey.of("item", "2"), lease -> work());
                  try (Lease lease = got.get()) { work(); }
                }
                void p() {
                  Optional<Lease> got = locks.tryAcquire(KEY); // BUG This lease is not closed on every path
                  if (maybe()) {
                    try (Lease lease = got.orElse(null)) { work(); }
                  }
                }
                void q(List<String> ids) {
                  for (String id : ids) {
                    Optional<Lease> got = locks.tryAcquire(LockKey.of("item", id)); \
                        // BUG This lease is not closed on every path
                    if (maybe()) { continue; }
                    try (Lease lease = got.orElse(null)) { work(); }
                  }
                }
                """);
        }

        @Test
        void closedInSomeCasesOfASwitch() {
            compile("""
                void m(int n) {
                  Lease withoutDefault = locks.acquire(KEY); // BUG This lease is not closed on every path
                  switch (n) { case 1 -> withoutDefault.close(); case 2 -> withoutDefault.close(); }
                  Lease leftBefore = locks.acquire(KEY); // BUG This lease is not closed on every path
                  switch (n) { case 1: leftBefore.close(); break; case 2: break; default: leftBefore.close(); }
                  Lease fallsOut = locks.acquire(KEY); // BUG This lease is not closed on every path
                  switch (n) { default: fallsOut.close(); break; case 1: }
                  Lease fails = locks.acquire(KEY); // BUG This lease is not closed on every path
                  switch (n) { case 1 -> fails.close(); default -> throw new IllegalStateException(); }
                  Lease late = locks.acquire(KEY); // BUG This lease is not closed on every path
                  switch (n) { case 1 -> late.close(); default -> { work(); late.close(); } }
                  Lease asked = locks.acquire(KEY); // BUG This lease is not closed on every path
                  switch (hashCode()) { case 1 -> asked.close(); default -> asked.close(); }
                }
                """);
        }
    }

    @Nested
    class Correct {
        @Test
        void tryWithResources() {
            compile("""
                void m() {
                  try (Lease lease = locks.acquire(KEY)) { work(); }
                  try (var set = locks.with(List.of(KEY)).acquire()) { work(); }
                  try (Lease lease = locks.tryAcquire(KEY).orElse(null)) { work(); }
                  Lease lease = locks.acquire(KEY);
                  try (lease) { work(); }
                  Lease again = locks.acquire(KEY);
                  try (Lease renamed = again) { work(); }
                }
                """);
        }

        @Test
        void closedInFinally() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY);
                  try { work(); } finally { lease.close(); }
                  Lease late = null;
                  try {
                    late = locks.acquire(KEY);
                    work();
                  } finally {
                    if (late != null) { late.release(); }
                  }
                  Lease async = locks.acquire(KEY);
                  work();
                  try { work(); } finally { use(async.releaseAsync()); }
                }
                """);
        }

        @Test
        void closedAtOnce() {
            compile("""
                void m() {
                  locks.acquire(KEY).close();
                  Lease lease = locks.acquire(KEY);
                  lease.ensureHeld();
                  lease.close();
                }
                """);
        }

        @Test
        void returned() {
            compile("""
                Lease m() { return locks.acquire(KEY); }
                Callable<Lease> n() { return () -> locks.acquire(KEY); }
                Optional<Lease> o() { return locks.tryAcquire(KEY); }
                Lease p() {
                  Lease lease = locks.acquire(KEY);
                  try {
                    work();
                    return lease;
                  } catch (RuntimeException e) {
                    lease.close();
                    throw e;
                  }
                }
                """);
        }

        @Test
        void stored() {
            compile("""
                private Lease kept;
                private final Lease[] all = new Lease[1];
                private final Lease first = start();
                Lease start() { return null; }
                void m() {
                  kept = locks.acquire(KEY);
                  all[0] = locks.acquire(KEY);
                  Lease lease = locks.acquire(KEY);
                  this.kept = lease;
                }
                """);
        }

        @Test
        void passedOn() {
            compile("""
                void m(List<Lease> leases) {
                  use(locks.acquire(KEY));
                  leases.add(locks.acquire(KEY));
                  Lease lease = locks.acquire(KEY);
                  use(lease);
                  locks.tryAcquire(KEY).ifPresent(leases::add);
                  locks.tryAcquire(KEY).ifPresent(one -> leases.add(one));
                  Optional<Lease> perhaps = locks.tryAcquire(KEY);
                  use(perhaps);
                }
                """);
        }

        @Test
        void capturedByALambdaThatClosesIt() {
            compile("""
                void m() {
                  Lease lease = locks.acquire(KEY);
                  executor.execute(() -> { try (lease) { work(); } });
                  Lease other = locks.acquire(KEY);
                  executor.execute(other::close);
                  Lease third = locks.acquire(KEY);
                  use(new Object() { void later() { third.close(); } });
                }
                """);
        }

        @Test
        void optionals() {
            compile("""
                void m() {
                  locks.tryAcquire(KEY).ifPresent(lease -> { try (lease) { work(); } });
                  locks.tryAcquire(KEY).ifPresent(Lease::close);
                  Optional<Lease> lease = locks.tryAcquire(KEY);
                  if (lease.isEmpty()) { return; }
                  try (Lease held = lease.get()) { work(); }
                  Optional<Lease> other = locks.tryAcquire(KEY);
                  try {
                    work();
                  } finally {
                    other.ifPresent(Lease::close);
                  }
                  Optional<Lease> third = locks.tryAcquire(KEY);
                  if (third.isPresent()) {
                    try { work(); } finally { third.get().close(); }
                  }
                  Optional<Lease> fourth = locks.tryAcquire(KEY);
                  Lease plain = fourth.orElseThrow();
                  try (plain) { work(); }
                }
                """);
        }

        @Test
        void workAndPendingLeases() {
            compile("""
                PendingLease<Lease> m() throws Exception {
                  locks.run(KEY, lease -> fence.raise(lease));
                  boolean ran = locks.tryRun(KEY, lease -> work());
                  return locks.acquireAsync(KEY);
                }
                """);
        }

        @Test
        void nullLeaseNeedsNoClose() {
            compile("""
                boolean m() {
                  Lease lease = locks.tryAcquire(KEY).orElse(null);
                  if (lease == null) {
                    return false;
                  }
                  try (lease) { work(); }
                  return true;
                }
                """);
        }

        @Test
        void suppressed() {
            compile("""
                @SuppressWarnings("InterlockUnclosedLease")
                void m() {
                  locks.acquire(KEY);
                }
                """);
        }

        @Test
        void leaseClosedInBothBranches() {
            compile("""
                void m(boolean flag) {
                  Lease lease = locks.acquire(KEY);
                  if (flag) { lease.close(); } else { lease.release(); }
                  Lease other = locks.acquire(KEY);
                  if (flag) { other.close(); return; }
                  other.close();
                }
                """);
        }

        @Test
        void booleanVariableForAPresentLease() {
            compile("""
                void m() {
                  Optional<Lease> lease = locks.tryAcquire(KEY);
                  boolean got = lease.isPresent();
                  use(got);
                  if (got) { try (Lease held = lease.get()) { work(); } }
                }
                boolean n() {
                  Lease lease = locks.tryAcquire(KEY).orElse(null);
                  boolean got = lease != null;
                  if (!got) { return false; }
                  try (lease) { work(); }
                  return true;
                }
                boolean probe() {
                  Optional<Lease> lease = locks.tryAcquire(KEY);
                  boolean free = lease.isPresent();
                  if (free) { lease.get().close(); }
                  return free;
                }
                """);
        }

        @Test
        void retriedUntilAcquired() {
            compile("""
                void m() {
                  Lease lease = locks.tryAcquire(KEY).orElse(null);
                  while (lease == null) {
                    work();
                    lease = locks.tryAcquire(KEY).orElse(null);
                  }
                  try { work(); } finally { lease.close(); }
                }
                """);
        }

        @Test
        void jumpsThatStayOrClose() {
            compile("""
                void m(List<String> ids, int n) {
                  for (String id : ids) {
                    Optional<Lease> one = locks.tryAcquire(LockKey.of("item", id));
                    if (one.isEmpty()) { continue; }
                    try (Lease held = one.get()) { work(); }
                    Lease two = locks.acquire(LockKey.of("item", id));
                    if (maybe()) { two.close(); break; }
                    while (maybe()) { if (n == 1) { break; } }
                    switch (n) { case 1: work(); break; default: }
                    try (two) { work(); }
                  }
                }
                """);
        }

        @Test
        void firstLeaseIsClosedIfTheSecondFails() {
            compile("""
                void m() {
                  Lease one = locks.acquire(KEY);
                  Lease two;
                  try {
                    two = locks.acquire(LockKey.of("item", "2"));
                  } catch (RuntimeException | Error e) {
                    one.close();
                    throw e;
                  }
                  try { work(); } finally { two.close(); one.close(); }
                }
                """);
        }

        @Test
        void leaseClosedInCatchAndOtherwise() {
            compile("""
                void m() {
                  Lease one = locks.acquire(KEY);
                  try {
                    work();
                    one.close();
                  } catch (RuntimeException | Error e) {
                    one.close();
                    throw e;
                  }
                  Lease two = locks.acquire(KEY);
                  try { work(); } catch (Throwable e) { two.close(); throw e; }
                  two.close();
                }
                """);
        }

        @Test
        void exitThatClosesBeforeTheTry() {
            compile("""
                void m(boolean flag) {
                  Lease lease = locks.acquire(KEY);
                  if (flag) {
                    lease.close();
                    return;
                  }
                  try (lease) { work(); }
                }
                void n(boolean flag) {
                  Lease lease = locks.acquire(KEY);
                  if (flag) {
                    try (lease) { work(); }
                    return;
                  }
                  try (lease) { work(); }
                }
                """);
        }

        @Test
        void probe() {
            compile("""
                boolean m() {
                  Lease probe = locks.tryAcquire(KEY).orElse(null);
                  if (probe == null) { return false; }
                  probe.close();
                  return true;
                }
                boolean n() {
                  Optional<Lease> probe = locks.tryAcquire(KEY);
                  if (probe.isPresent()) {
                    probe.get().close();
                    return true;
                  }
                  return false;
                }
                boolean o() {
                  Lease probe = locks.tryAcquire(KEY).orElse(null);
                  if (probe != null) { probe.close(); }
                  return probe != null;
                }
                """);
        }

        @Test
        void anotherLockIsAcquiredIfThisOneIsAbsent() {
            compile("""
                void m() {
                  Lease lease = locks.tryAcquire(KEY).orElse(null);
                  if (lease == null) {
                    lease = locks.acquire(KEY);
                  }
                  try { work(); } finally { lease.close(); }
                }
                void n() {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  if (got.isEmpty()) {
                    locks.run(LockKey.of("item", "2"), lease -> work());
                    return;
                  }
                  try (Lease lease = got.get()) { work(); }
                }
                """);
        }

        @Test
        void exitBeforeAnEmptyOptionalIsUnwrapped() {
            compile("""
                void m() {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  if (!got.isPresent()) { return; }
                  try (Lease lease = got.orElseThrow()) { work(); }
                }
                void n() {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  boolean free = got.isPresent();
                  if (!free) { throw new IllegalStateException(); }
                  Lease lease = got.get();
                  try (lease) { work(); }
                }
                void o() {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  var taken = got.isEmpty();
                  if (maybe()) {
                    if (taken) { return; }
                    work();
                  }
                  try (Lease lease = got.orElse(null)) { work(); }
                }
                void p() {
                  boolean free;
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  free = got.isPresent();
                  boolean taken = !free;
                  if (taken) { return; }
                  try (Lease lease = got.orElseThrow()) { work(); }
                }
                void q() {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  boolean free = maybe();
                  free = free && got.isPresent();
                  if (free) { try (Lease lease = got.get()) { work(); } }
                }
                """);
        }

        @Test
        void exitThatClosesBeforeTheOptionalIsUnwrapped() {
            compile("""
                void m(boolean flag) {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  if (flag) {
                    try (Lease lease = got.orElseThrow()) { work(); }
                    return;
                  }
                  try (Lease lease = got.orElseThrow()) { work(); }
                }
                void n(boolean flag) {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  if (flag) {
                    got.ifPresent(Lease::close);
                    return;
                  }
                  try (Lease lease = got.orElseThrow()) { work(); }
                }
                void o(boolean flag) {
                  Lease got = locks.acquire(KEY);
                  if (flag) {
                    try (Lease lease = got) { work(); }
                    return;
                  }
                  try (Lease lease = got) { work(); }
                }
                """);
        }

        @Test
        void retriedOptional() {
            compile("""
                void m() {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  while (got.isEmpty()) { got = locks.tryAcquire(KEY); }
                  try (Lease lease = got.get()) { work(); }
                }
                void n() {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  for (int i = 0; i < 3 && got.isEmpty(); i++) { got = locks.tryAcquire(KEY); }
                  try (Lease lease = got.orElseThrow()) { work(); }
                }
                void o() {
                  Optional<Lease> got = locks.tryAcquire(KEY);
                  boolean done = got.isPresent() ? maybe() : locks.tryRun(LockKey.of("item", "2"), lease -> work());
                  try (Lease lease = got.orElse(null)) { use(done); }
                }
                """);
        }

        @Test
        void closedInEveryCaseOfASwitch() {
            compile("""
                void m(int n) {
                  Lease arrows = locks.acquire(KEY);
                  switch (n) { case 1 -> arrows.close(); default -> arrows.close(); }
                  Lease colons = locks.acquire(KEY);
                  switch (n) {
                    case 1:
                    case 2:
                      colons.close();
                      break;
                    case 3:
                      colons.ensureHeld();
                    default:
                      colons.release();
                  }
                  Lease blocks = locks.acquire(KEY);
                  switch (n) {
                    case 1 -> { blocks.close(); work(); }
                    default -> { if (n == 2) { blocks.close(); } else { blocks.release(); } }
                  }
                  Lease returning = locks.acquire(KEY);
                  switch (n) {
                    default: { returning.close(); return; }
                    case 1: returning.close(); work();
                  }
                }
                """);
        }

        @Test
        void filteredOptional() {
            compile("""
                void m() {
                  locks.tryAcquire(KEY).filter(Lease::isHeld).ifPresent(lease -> { try (lease) { work(); } });
                  locks.tryAcquire(KEY).filter(lease -> lease.isHeld()).ifPresent(Lease::close);
                }
                """);
        }

        @Test
        void callOnAMock() {
            Snippet.checkedBy(InterlockUnclosedLease.class)
                    .beside(
                            "org/mockito/Mockito.java",
                            "package org.mockito; public class Mockito { public static <T> T verify(T mock) { return"
                                    + " mock; } }")
                    .compile("""
                        void m(LockKey key) { org.mockito.Mockito.verify(locks).acquire(key); }
                        """);
        }
    }

    @Nested
    class Fixed {
        private void fix(String before, String after) {
            String head = "import dev.interlock.lock.*; abstract class Shop { Locks locks; LockKey key;"
                    + " abstract void work();\n";
            BugCheckerRefactoringTestHelper.newInstance(InterlockUnclosedLease.class, Fixed.class)
                    .addInputLines("Shop.java", head + before + "}")
                    .addOutputLines("Shop.java", head + after + "}")
                    .doTest(TestMode.TEXT_MATCH);
        }

        @Test
        void restOfTheBlockIsMovedIntoTheTry() {
            fix("""
                void m() {
                  Lease lease = locks.acquire(key);
                  int count = 1;
                  work();
                }
                """, """
                void m() {
                  try (Lease lease = locks.acquire(key)) {
                  int count = 1;
                  work();
                }
                }
                """);
        }

        @Test
        void plainCloseIsRemoved() {
            fix("""
                void m() {
                  var lease = locks.acquire(key);
                  work();
                  lease.close();
                }
                """, """
                void m() {
                  try (var lease = locks.acquire(key)) {
                  work();
                  }
                }
                """);
        }

        @Test
        void reassignedVariableIsNotFixed() {
            fix("""
                void m() {
                  Lease lease = locks.acquire(key);
                  work();
                  lease.close();
                  lease = null;
                }
                """, """
                void m() {
                  Lease lease = locks.acquire(key);
                  work();
                  lease.close();
                  lease = null;
                }
                """);
        }

        @Test
        void lastOfTwoLeasesIsFixedFirst() {
            fix("""
                void m() {
                  Lease one = locks.acquire(key);
                  Lease two = locks.acquire(key);
                  work();
                  two.close();
                  one.close();
                }
                """, """
                void m() {
                  Lease one = locks.acquire(key);
                  try (Lease two = locks.acquire(key)) {
                  work();
                  }
                  one.close();
                }
                """);
        }

        @Test
        void statementsAfterTheReleaseStayOutside() {
            fix("""
                void m() {
                  Lease lease = locks.acquire(key);
                  work();
                  lease.close();
                  work();
                }
                """, """
                void m() {
                  try (Lease lease = locks.acquire(key)) {
                  work();
                  }
                  work();
                }
                """);
        }

        @Test
        void resultReturnedAfterTheRelease() {
            fix("""
                int m() {
                  Lease lease = locks.acquire(key);
                  int count = hashCode();
                  lease.close();
                  return count;
                }
                """, """
                int m() {
                  try (Lease lease = locks.acquire(key)) {
                  int count = hashCode();
                 \s
                  return count;
                }
                }
                """);
        }

        @Test
        void releaseBeforeCodeThatNeedsTheBlockIsNotFixed() {
            String needed = """
                int m(Object it) {
                  Lease lease = locks.acquire(key);
                  if (!(it instanceof String text)) { throw new IllegalStateException(); }
                  lease.close();
                  return text.length();
                }
                """;
            fix(needed, needed);
        }

        @Test
        void firstOfTwoLeasesIsFixedIfTheOtherIsCorrect() {
            fix("""
                void m() {
                  Lease one = locks.acquire(key);
                  Lease two = locks.acquire(key);
                  try { work(); } finally { two.close(); one.close(); }
                }
                """, """
                void m() {
                  try (Lease one = locks.acquire(key)) {
                  Lease two = locks.acquire(key);
                  try { work(); } finally { two.close(); one.close(); }
                }
                }
                """);
        }

        @Test
        void twoVariablesOfOneDeclarationAreNotFixed() {
            String both = """
                void m() {
                  Lease one = locks.acquire(key), two = locks.acquire(key);
                  work();
                }
                """;
            fix(both, both);
        }
    }
}
