package dev.interlock.errorprone;

import com.google.errorprone.VisitorState;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.ClassSymbol;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import com.sun.tools.javac.code.Type;
import dev.interlock.lock.LockOrder;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the declared order: the one that the option names, or else the only one that the file creates.
 *
 * <p>An option that cannot be resolved is an error with an explanation. Two different orders in a file count as none.
 */
final class OrderSource {
    static final String OPTION = "Interlock:Order";
    private static final String ADVICE =
            " Name the enum of your lock types (com.acme.LockTypes), or a static final LockOrder of the same"
                    + " compilation (com.acme.Locks.ORDER).";

    private final SourceIndex sources;
    private final OrderReader reader;
    private final VisitorState state;

    OrderSource(SourceIndex sources, StaticValues values, VisitorState state) {
        this.sources = sources;
        this.reader = new OrderReader(values, state);
        this.state = state;
    }

    /** The order that the option names. */
    LockOrder named(String name) throws Unreadable {
        try {
            ClassSymbol type = find(name);
            if (type != null) {
                return ofType(name, type);
            }
            int dot = name.lastIndexOf('.');
            ClassSymbol home = dot < 0 ? null : find(name.substring(0, dot));
            if (home != null) {
                return ofField(name, home, name.substring(dot + 1));
            }
        } catch (IllegalArgumentException refused) {
            throw new Unreadable(name, "it is not a valid order: " + refused.getMessage() + ".");
        }
        throw new Unreadable(name, "there is no such type or field on the class path of this compilation.");
    }

    // Not VisitorState.getSymbolFromString, which knows only types that the compilation has already loaded.
    private @Nullable ClassSymbol find(String name) {
        return state.getElements().getTypeElement(name) instanceof ClassSymbol type ? type : null;
    }

    private static LockOrder ofType(String name, ClassSymbol type) throws Unreadable {
        LockOrder order = type.getKind() == ElementKind.ENUM ? OrderReader.ofEnum(type) : null;
        if (order == null) {
            throw new Unreadable(
                    name,
                    type.getKind() == ElementKind.ENUM
                            ? "the enum has no constants."
                            : "it is a type, but not an enum.");
        }
        return order;
    }

    private LockOrder ofField(String name, ClassSymbol home, String field) throws Unreadable {
        VarSymbol found = null;
        for (Symbol each : ASTHelpers.getEnclosedElements(home)) {
            if (each instanceof VarSymbol variable && each.getSimpleName().contentEquals(field)) {
                found = variable;
            }
        }
        if (found == null) {
            throw new Unreadable(name, home + " has no field " + field + ".");
        }
        if (!isOrder(found.type)
                || !found.getModifiers().contains(Modifier.STATIC)
                || !found.getModifiers().contains(Modifier.FINAL)) {
            throw new Unreadable(name, "the field is not a static final LockOrder.");
        }
        ExpressionTree value = sources.valueOf(found);
        if (value == null) {
            throw new Unreadable(name, "the value of the field is not in the sources of this compilation.");
        }
        LockOrder order = reader.read(BoundExpression.of(value));
        if (order == null) {
            throw new Unreadable(
                    name,
                    "its value is not composed of LockOrder.of(…), constants and closed(), so it is known only at run"
                            + " time.");
        }
        return order;
    }

    /** The order that this file creates; null if it creates none, several, or one that is known only at run time. */
    @Nullable
    LockOrder ownOrder(CompilationUnitTree unit) {
        List<LockOrder> found = new ArrayList<>();
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void visitMethodInvocation(MethodInvocationTree tree, @Nullable Void nothing) {
                if (!isOrder(ASTHelpers.getType(tree))) {
                    return super.visitMethodInvocation(tree, null);
                }
                LockOrder order = readOrNull(tree);
                found.add(order == null ? LockOrder.none() : order);
                return null;
            }
        }.scan(unit, null);
        boolean agree = found.stream().map(LockOrder::types).distinct().count() == 1;
        if (!agree || found.get(0).types().isEmpty()) {
            return null;
        }
        // The order is created open and closed elsewhere. What only the closed one refuses is not reported.
        return found.stream().filter(order -> !order.isClosed()).findAny().orElse(found.get(0));
    }

    private @Nullable LockOrder readOrNull(MethodInvocationTree tree) {
        try {
            return reader.read(BoundExpression.of(tree));
        } catch (IllegalArgumentException refusedAtRunTimeToo) {
            return null;
        }
    }

    private static boolean isOrder(@Nullable Type type) {
        return LockApi.isNamed(type, LockApi.LOCK_ORDER);
    }

    /** The option cannot be resolved. The message says why and what to write instead. */
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1;

        Unreadable(String name, String why) {
            super("The option -XepOpt:" + OPTION + "=" + name + " cannot be used: " + why + ADVICE);
        }
    }
}
