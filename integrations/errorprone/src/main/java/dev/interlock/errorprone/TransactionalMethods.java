package dev.interlock.errorprone;

import com.google.errorprone.VisitorState;
import com.google.errorprone.util.ASTHelpers;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.ClassSymbol;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;

/** Finds methods that run in a transaction that a framework begins before them and ends after them. */
final class TransactionalMethods {
    private static final String SPRING = "org.springframework.transaction.annotation.Transactional";
    private static final Set<String> ANNOTATIONS =
            Set.of(SPRING, "jakarta.transaction.Transactional", "javax.transaction.Transactional");

    /** Constants of {@code Propagation} and {@code TxType}: no transaction, or none unless the caller has one. */
    private static final Set<String> WITHOUT = Set.of("NEVER", "NOT_SUPPORTED", "SUPPORTS");

    /** The framework calls these methods without its interceptors. */
    private static final Set<String> LIFE_CYCLE = Set.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.PreDestroy",
            "javax.annotation.PostConstruct",
            "javax.annotation.PreDestroy");

    private TransactionalMethods() {}

    /** Whether the method runs in a transaction. Its own annotation takes precedence over that of its class. */
    static boolean applyTo(MethodSymbol method, VisitorState state) {
        return declared(method, ANNOTATIONS)
                .or(() -> method.getModifiers().contains(Modifier.PRIVATE)
                                || method.getModifiers().contains(Modifier.STATIC)
                                || method.isConstructor()
                                || isAnnotated(method, LIFE_CYCLE)
                        ? Optional.empty()
                        : declaredBySupertypes(method, state))
                .orElse(false);
    }

    /** Spring also considers overridden methods and interfaces; Jakarta does not. */
    private static Optional<Boolean> declaredBySupertypes(MethodSymbol method, VisitorState state) {
        Set<MethodSymbol> overridden = ASTHelpers.findSuperMethods(method, state.getTypes());
        return declaredBySpring(overridden.stream())
                .or(() -> declaredByClass(method.enclClass()))
                .or(() -> declaredBySpring(overridden.stream().map(each -> each.owner)));
    }

    private static Optional<Boolean> declaredBySpring(Stream<? extends Symbol> symbols) {
        return symbols.flatMap(each -> declared(each, Set.of(SPRING)).stream()).findFirst();
    }

    private static Optional<Boolean> declaredByClass(ClassSymbol type) {
        Optional<Boolean> own = declared(type, ANNOTATIONS);
        return own.isEmpty() && type.getSuperclass().tsym instanceof ClassSymbol parent ? declaredByClass(parent) : own;
    }

    private static Optional<Boolean> declared(Symbol symbol, Set<String> annotations) {
        return symbol.getAnnotationMirrors().stream()
                .filter(each -> isOneOf(each, annotations))
                .map(each -> each.getElementValues().entrySet().stream()
                        .noneMatch(value -> isWithout(value.getKey(), value.getValue())))
                .findFirst();
    }

    private static boolean isAnnotated(Symbol symbol, Set<String> names) {
        return symbol.getAnnotationMirrors().stream().anyMatch(each -> isOneOf(each, names));
    }

    private static boolean isOneOf(AnnotationMirror annotation, Set<String> names) {
        return annotation.getAnnotationType().asElement() instanceof TypeElement type
                && names.contains(type.getQualifiedName().toString());
    }

    /** No transaction, or a read-only one, which changes nothing that the next holder could miss. */
    private static boolean isWithout(ExecutableElement attribute, AnnotationValue value) {
        return (value.getValue() instanceof VariableElement constant
                        && WITHOUT.contains(constant.getSimpleName().toString()))
                || (attribute.getSimpleName().contentEquals("readOnly") && Boolean.TRUE.equals(value.getValue()));
    }
}
