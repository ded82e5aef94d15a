package dev.interlock.testkit;

import dev.interlock.Interlock;
import dev.interlock.lock.Locks;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test a fresh {@link InterlockWorld} as a parameter; also its {@link Interlock}, {@link Locks} and
 * {@link FakeClock}.
 *
 * <pre>{@code
 * @ExtendWith(InterlockExtension.class)
 * class StockServiceTest {
 *     @Test
 *     void writeOfFormerHolderIsRefused(InterlockWorld world, Locks locks) { … }
 * }
 * }</pre>
 *
 * <p>All parameters of one test belong to one world: those of its constructor, of {@code @BeforeEach}, of the test and of
 * {@code @AfterEach}. A world that several tests share is refused. After the test the world is closed as
 * {@link InterlockWorld#close()} says.
 */
public final class InterlockExtension implements ParameterResolver, AfterEachCallback {
    private static final ExtensionContext.Namespace WORLDS =
            ExtensionContext.Namespace.create(InterlockExtension.class);
    private static final Set<Class<?>> GIVEN =
            Set.of(InterlockWorld.class, Interlock.class, Locks.class, FakeClock.class);

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return GIVEN.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("A world belongs to one test, so it cannot be given to "
                    + parameter.getDeclaringExecutable()
                    + ", which serves several: take it as a parameter of the test or of @BeforeEach");
        }
        InterlockWorld world = context.getStore(WORLDS)
                .computeIfAbsent(InterlockWorld.class, unused -> new InterlockWorld(), InterlockWorld.class);
        Class<?> type = parameter.getParameter().getType();
        return type == Interlock.class
                ? world.interlock()
                : type == Locks.class ? world.locks() : type == FakeClock.class ? world.clock() : world;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        InterlockWorld world = context.getStore(WORLDS).get(InterlockWorld.class, InterlockWorld.class);
        if (world != null) {
            world.afterEach(context);
        }
    }
}
