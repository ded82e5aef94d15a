package dev.interlock.testkit;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;

class InterlockExtensionTest {
    private static final LockKey KEY = LockKey.of("stock", "sku-1");

    @Nested
    @ExtendWith(InterlockExtension.class)
    class Parameters {
        private static final Set<InterlockWorld> SEEN = new HashSet<>();

        private final InterlockWorld ofConstructor;
        private InterlockWorld before;

        Parameters(InterlockWorld world) {
            ofConstructor = world;
        }

        @BeforeEach
        void takeWorld(InterlockWorld world) {
            before = world;
        }

        @RepeatedTest(2)
        void areFreshForEachTestAndTheSameWithinIt(
                InterlockWorld world, Interlock interlock, Locks locks, FakeClock clock) {
            assertThat(world).isSameAs(before).isSameAs(ofConstructor);
            assertThat(interlock).isSameAs(world.interlock());
            assertThat(locks).isSameAs(world.locks());
            assertThat(clock).isSameAs(world.clock());
            assertThat(SEEN.add(world)).isTrue();
            assertThat(world.inspect(KEY)).isEmpty();
            Lease unclosed = world.another("other").locks().acquire(KEY);
            assertThat(unclosed.isHeld()).isTrue();
        }
    }

    @Test
    void worldForSeveralTestsIsRefused() throws NoSuchMethodException {
        Parameter parameter = Parameters.class.getDeclaredMethod("takeWorld", InterlockWorld.class)
                .getParameters()[0];
        ParameterContext requested = stub(ParameterContext.class, Map.of("getParameter", parameter));
        ExtensionContext ofClass = stub(ExtensionContext.class, Map.of("getTestMethod", Optional.empty()));
        InterlockExtension extension = new InterlockExtension();
        assertThat(extension.supportsParameter(requested, ofClass)).isTrue();
        assertThatThrownBy(() -> extension.resolveParameter(requested, ofClass))
                .isInstanceOf(ParameterResolutionException.class)
                .hasMessageContaining("takeWorld");
    }

    @Test
    void problemAtTheEndDoesNotHideTheFailureOfTheTest() {
        InterlockWorld world = new InterlockWorld();
        world.locks().acquire(KEY);
        AssertionError own = new AssertionError("failure of the test");
        world.afterEach(stub(ExtensionContext.class, Map.of("getExecutionException", Optional.of(own))));
        assertThat(own.getSuppressed()).singleElement().asString().contains("still holds");
    }

    private static <T> T stub(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> method.getName().equals("getDeclaringExecutable")
                        ? ((Parameter) answers.get("getParameter")).getDeclaringExecutable()
                        : answers.get(method.getName())));
    }

    @Nested
    class End {
        private final InterlockWorld world = new InterlockWorld();

        @Test
        void failsTheTestForALeaseThatIsStillHeld() {
            world.locks().acquire(KEY);
            assertThatThrownBy(world::close)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("\"under-test\" still holds \"stock:sku-1\"")
                    .hasMessageContaining("InterlockExtensionTest.java")
                    .hasMessageContaining("failsTheTestForALeaseThatIsStillHeld");
            assertThatCode(world::close).as("a second time").doesNotThrowAnyException();
        }

        @Test
        void failsWithoutACallSiteForALeaseGrantedAfterAWait() {
            world.busy(KEY, ofSeconds(1));
            world.locks().acquire(KEY);
            assertThatThrownBy(world::close).hasMessageContaining("still holds").hasMessageNotContaining("acquired at");
        }

        @Test
        void acceptsLeasesThatAreClosedLostOrAllowed() {
            world.locks().run(KEY, lease -> {});
            Lease lost = world.locks().acquire(KEY);
            world.pause(ofMinutes(1));
            assertThatCode(world::close).doesNotThrowAnyException();
            assertThat(lost.isHeld()).isFalse();

            InterlockWorld tolerant = new InterlockWorld().allowHeldLeases();
            tolerant.locks().acquire(KEY);
            assertThatCode(tolerant::close).doesNotThrowAnyException();
        }

        @Test
        void acceptsALeaseThatWasClosedDuringAnOutage() {
            Lease lease = world.locks().acquire(KEY);
            world.outage(Outage.SILENT);
            lease.close();
            assertThatCode(world::close).doesNotThrowAnyException();
        }

        @Test
        void endsWaits() {
            world.busy(KEY);
            PendingLease<Lease> pending = world.locks().acquireAsync(KEY);
            StartedCall<Lease> blocked = world.start(() -> world.locks().acquire(KEY));
            world.close();
            assertThat(pending.toCompletableFuture()).isCompletedExceptionally();
            assertThat(blocked.isDone()).isTrue();
        }

        @Test
        void failsTheTestForAFailedScript() {
            world.after(ofSeconds(1), () -> world.lose(KEY));
            world.afterGrant(KEY, () -> {
                throw new AssertionError("unexpected");
            });
            world.locks().run(KEY, lease -> {});
            world.advance(ofSeconds(1));
            assertThatThrownBy(world::close)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("unexpected")
                    .hasMessageContaining("No process holds");
        }

        @Test
        void failsTheTestForAFailedCallWhoseResultWasNotRequested() {
            world.start(() -> {
                throw new IllegalStateException("unreported");
            });
            assertThatThrownBy(world::close).isInstanceOf(AssertionError.class).hasMessageContaining("unreported");
        }

        @Test
        void makesFurtherUseFailWithAdvice() {
            world.close();
            assertThatThrownBy(() -> world.advance(ofSeconds(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("instance field");
        }
    }

    @Test
    void optionsApplyToEveryProcess() {
        try (InterlockWorld world = new InterlockWorld(
                builder -> builder.defaults(LockSettings.inherit().leaseFor(ofSeconds(6))))) {
            world.locks().run(KEY, lease -> assertThat(lease.remaining()).isLessThan(ofSeconds(6)));
            try (Lease lease = world.another("other").locks().acquire(KEY)) {
                assertThat(lease.remaining()).isBetween(ofSeconds(5), ofSeconds(6));
            }
        }
    }
}
