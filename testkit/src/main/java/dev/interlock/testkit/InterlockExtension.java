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
 * Provides each test with a fresh {@link InterlockWorld} as a parameter, and with its {@link Interlock}, {@link Locks}
 * and {@link FakeClock}.
 *
 * <pre>{@code
 * @ExtendWith(InterlockExtension.class)
 * class StockServiceTest {
 *     @Test
 *     void writeOfFormerHolderIsRefused(InterlockWorld world, Locks locks) { … }
 * }
 * }</pre>
 *
 * <p>All parameters of one test belong to one world: those of its constructor, of {@code @BeforeEach}, of the test and
 * of {@code @AfterEach}. The extension refuses to share a world between tests. After the test it closes the world as
 * {@link InterlockWorld#close()} describes.
 *
 * @since 0.1.0
 */
public final class InterlockExtension implements ParameterResolver, AfterEachCallback {
    private static final ExtensionContext.Namespace WORLDS =
            ExtensionContext.Namespace.create(InterlockExtension.class);
    private static final Set<Class<?>> PARAMETER_TYPES =
            Set.of(InterlockWorld.class, Interlock.class, Locks.class, FakeClock.class);

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return PARAMETER_TYPES.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("A world belongs to one test, so it cannot be a parameter of "
                    + parameter.getDeclaringExecutable()
                    + ", which serves several tests. Declare it as a parameter of the test or of @BeforeEach");
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
