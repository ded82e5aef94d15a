package dev.interlock.errorprone;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.bugpatterns.BugChecker;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** Only the checks are public, Error Prone finds each of them, and they use only the public API of core. */
class ArchitectureTest {
    private static final JavaClasses CHECKS = new ClassFileImporter().importPath(Path.of("target/classes"));
    private static final List<String> NAMES = List.of(
            InterlockIgnoredTry.class.getName(),
            InterlockLockOrder.class.getName(),
            InterlockReleaseInTransaction.class.getName(),
            InterlockUnclosedLease.class.getName());

    @Test
    void compiledClassesAreFound() {
        assertThat(CHECKS.size()).as("compiled classes").isGreaterThan(25);
    }

    @Test
    void onlyTheChecksArePublic() {
        List<String> found = CHECKS.stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .map(JavaClass::getName)
                .toList();
        assertThat(found).containsExactlyInAnyOrderElementsOf(NAMES);
    }

    @Test
    void errorProneFindsEveryCheck() {
        List<String> found = ServiceLoader.load(BugChecker.class).stream()
                .map(provider -> provider.type().getName())
                .filter(name -> name.startsWith("dev.interlock."))
                .toList();
        assertThat(found).containsExactlyInAnyOrderElementsOf(NAMES);
    }

    @Test
    void checksUseOnlyThePublicApiOfCore() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.interlock.errorprone",
                        "dev.interlock.lock",
                        "java..",
                        "javax.lang.model..",
                        "com.sun.source..",
                        "com.sun.tools.javac..",
                        "com.google.errorprone..",
                        "com.google.common..",
                        "org.jspecify.annotations..")
                .check(CHECKS);
    }
}
