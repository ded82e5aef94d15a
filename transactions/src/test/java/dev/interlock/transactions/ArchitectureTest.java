package dev.interlock.transactions;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * This module needs core and the JDK, and nothing else: an application that keeps its locks in Redis can use it without
 * a connection pool or driver that it did not choose.
 *
 * <pre>
 *   dev.interlock.transactions ──▶ internal ──▶ core: spi, lock
 * </pre>
 */
class ArchitectureTest {
    private static final Path COMPILED = Path.of("target/classes");
    private static final JavaClasses MAIN = new ClassFileImporter().importPath(COMPILED);

    @Test
    void importFindsTheClassesOfTheModule() {
        assertThat(MAIN.size()).as("compiled classes").isGreaterThan(30);
        assertThat(MAIN.stream().map(JavaClass::getPackageName))
                .contains("dev.interlock.transactions", "dev.interlock.transactions.internal");
    }

    @Test
    void mainCodeUsesCoreAndTheJdkOnly() {
        classes()
                .that()
                .resideInAPackage("dev.interlock.transactions")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.interlock.transactions",
                        "dev.interlock.transactions.internal",
                        "dev.interlock.lock",
                        "java..",
                        "javax.sql",
                        "org.jspecify.annotations")
                .check(MAIN);
        classes()
                .that()
                .resideInAPackage("dev.interlock.transactions.internal")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.interlock.transactions.internal",
                        "dev.interlock.lock",
                        "dev.interlock.spi",
                        "java..",
                        "javax.sql",
                        "org.jspecify.annotations")
                .check(MAIN);
        slices().matching("dev.interlock.(**)").should().beFreeOfCycles().check(MAIN);
    }

    @Test
    void testsRunWithoutAConnectionPool() {
        assertThatExceptionOfType(ClassNotFoundException.class)
                .as("HikariCP on the class path of these tests, which cover every public method")
                .isThrownBy(() -> Class.forName("com.zaxxer.hikari.HikariDataSource"));
    }

    @Test
    void moduleExportsItsInternalsToTheJdbcBackendOnly() throws IOException {
        ModuleDescriptor module;
        try (InputStream compiled = Files.newInputStream(COMPILED.resolve("module-info.class"))) {
            module = ModuleDescriptor.read(compiled);
        }
        assertThat(module.requires())
                .extracting(ModuleDescriptor.Requires::name)
                .containsExactlyInAnyOrder("java.base", "java.sql", "dev.interlock.core", "org.jspecify");
        assertThat(module.exports()).hasSize(2).allSatisfy(export -> {
            boolean internal = export.source().equals("dev.interlock.transactions.internal");
            assertThat(export.targets()).isEqualTo(internal ? Set.of("dev.interlock.jdbc") : Set.of());
        });
    }

    @Test
    void publicTypesAreFinalOrInterfaces() {
        assertThat(MAIN)
                .filteredOn(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .isNotEmpty()
                .allMatch(type -> type.isInterface()
                        || type.isEnum()
                        || type.getModifiers().contains(JavaModifier.FINAL));
    }

    @Test
    void packagesAreNullMarked() {
        assertThat(MAIN)
                .filteredOn(type -> !type.getPackageName().isEmpty())
                .extracting(JavaClass::getPackage)
                .isNotEmpty()
                .allMatch(one -> one.getPackageInfo().isAnnotatedWith("org.jspecify.annotations.NullMarked"));
    }
}
