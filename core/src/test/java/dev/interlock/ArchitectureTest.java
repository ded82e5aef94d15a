package dev.interlock;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The dependencies between the packages of core, and some coding rules.
 *
 * <pre>
 *   dev.interlock ──▶ internal ──▶ spi ──▶ lock
 *                                   ▲
 *                        memory ────┘
 * </pre>
 *
 * The public API is a file in git; see {@link ApiDumpTest}.
 */
@Tag("slow")
class ArchitectureTest {
    private static final Path COMPILED = Path.of("target/classes");
    private static final Path SOURCES = Path.of("src/main/java");

    /** All packages of core may depend on these two. */
    private static final String JAVA = "java..";

    private static final String NULLNESS = "org.jspecify.annotations..";

    private static final JavaClasses CORE = new ClassFileImporter().importPath(COMPILED);

    @Test
    void importFindsTheClassesOfCore() throws IOException {
        assertThat(CORE.size()).as("compiled classes").isGreaterThan(140);
        assertThat(sources()).as("source files").hasSizeGreaterThan(90);
        assertThat(packages())
                .contains(
                        "dev.interlock",
                        "dev.interlock.internal.lock",
                        "dev.interlock.internal.runtime",
                        "dev.interlock.lock",
                        "dev.interlock.memory",
                        "dev.interlock.spi");
    }

    @Test
    void arrowsPointOneWay() {
        dependsOnlyOn("dev.interlock.lock", "dev.interlock.lock");
        dependsOnlyOn("dev.interlock.spi", "dev.interlock.spi", "dev.interlock.lock");
        dependsOnlyOn("dev.interlock.memory", "dev.interlock.memory", "dev.interlock.spi", "dev.interlock.lock");
        dependsOnlyOn(
                "dev.interlock.internal..", "dev.interlock.internal..", "dev.interlock.spi", "dev.interlock.lock");
        dependsOnlyOn(
                "dev.interlock",
                "dev.interlock",
                "dev.interlock.internal..",
                "dev.interlock.spi",
                "dev.interlock.lock");
    }

    private static void dependsOnlyOn(String one, String... others) {
        String[] allowed =
                Stream.concat(Stream.of(others), Stream.of(JAVA, NULLNESS)).toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(one)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed)
                .check(CORE);
    }

    @Test
    void onlyTheEntryPointDependsOnTheEngine() {
        classes()
                .that()
                .resideInAPackage("dev.interlock.internal..")
                .should()
                .onlyHaveDependentClassesThat()
                .resideInAnyPackage("dev.interlock", "dev.interlock.internal..")
                .check(CORE);
    }

    /** Other features than locks are to run on the same runtime. */
    @Test
    void runtimeDoesNotKnowLocks() {
        noClasses()
                .that()
                .resideInAPackage("dev.interlock.internal.runtime")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.interlock.internal.lock", "dev.interlock.internal.deadlock", "dev.interlock.lock")
                .check(CORE);
    }

    @Test
    void packagesFormNoCycle() {
        slices().assignedFrom(new EachPackage()).should().beFreeOfCycles().check(CORE);
    }

    private static final class EachPackage implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
            return SliceIdentifier.of(javaClass.getPackageName());
        }

        @Override
        public String getDescription() {
            return "each package";
        }
    }

    @Test
    void publicTypesCannotBeExtended() {
        classes()
                .that()
                .arePublic()
                .and()
                .resideOutsideOfPackage("dev.interlock.internal..")
                .should(beClosed())
                .because("a type that can be extended anywhere can never change")
                .check(CORE);
    }

    private static ArchCondition<JavaClass> beClosed() {
        return new ArchCondition<>("be final, a record, an enum, sealed, an interface or an exception") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean closed = type.isInterface()
                        || type.isEnum()
                        || type.isRecord()
                        || type.getModifiers().contains(JavaModifier.FINAL)
                        || type.isAssignableTo(Throwable.class)
                        || type.reflect().isSealed();
                events.add(
                        new SimpleConditionEvent(type, closed, type.getName() + " can be extended outside Interlock"));
            }
        };
    }

    @Test
    void everyPackageIsDocumentedAndNullMarked() {
        for (String each : packages()) {
            JavaPackage one = CORE.getPackage(each);
            assertThat(one.tryGetPackageInfo()).as("package-info of " + each).isPresent();
            assertThat(one.getPackageInfo().isAnnotatedWith("org.jspecify.annotations.NullMarked"))
                    .as(each + " is @NullMarked")
                    .isTrue();
        }
    }

    @Test
    void nothingIsSynchronized() throws IOException {
        noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(CORE);
        for (Path source : sources()) {
            assertThat(codeOf(Files.readString(source)))
                    .as(source.toString())
                    .doesNotContainPattern("\\bsynchronized\\b");
        }
    }

    @Test
    void codeIsSeparatedFromCommentsAndLiterals() {
        assertThat(codeOf("a /* synchronized\n */ b // synchronized\nc \"synchronized \\\" synchronized\" d '\"' e"))
                .isEqualTo("a   b  \nc   d   e");
        assertThat(codeOf("x \"\"\"\n synchronized \"quoted\"\n\"\"\" y synchronized"))
                .isEqualTo("x   y synchronized");
    }

    private static final Pattern NOT_CODE = Pattern.compile(
            "/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+'", Pattern.DOTALL);

    /** Returns the source with every comment and literal replaced by a space. */
    private static String codeOf(String source) {
        return NOT_CODE.matcher(source).replaceAll(" ");
    }

    @Test
    void nothingIsPrintedAndNoThreadSleeps() {
        noClasses().should().accessField(System.class, "out").check(CORE);
        noClasses().should().accessField(System.class, "err").check(CORE);
        noClasses().should().callMethodWhere(target(name("printStackTrace"))).check(CORE);
        noClasses()
                .should()
                .callMethodWhere(target(name("sleep")))
                .because("time comes in through Environment")
                .check(CORE);
    }

    @Test
    void namesAvoidEmptyWords() {
        noClasses()
                .should()
                .haveNameMatching(".*[.$]([A-Za-z]*(Manager|Helper|Utils?|Data|Info|Impl)(?![a-z]).*|Base[A-Z].*)")
                .check(CORE);
    }

    @Test
    void moduleExportsEverythingButTheEngine() throws IOException {
        ModuleDescriptor module;
        try (InputStream compiled = Files.newInputStream(COMPILED.resolve("module-info.class"))) {
            module = ModuleDescriptor.read(compiled);
        }
        Set<String> shown = new TreeSet<>();
        module.exports().stream().filter(export -> !export.isQualified()).forEach(export -> shown.add(export.source()));
        Set<String> meant = packages();
        meant.removeIf(each -> each.startsWith("dev.interlock.internal"));
        assertThat(shown).isEqualTo(meant);
        assertThat(module.requires())
                .extracting(ModuleDescriptor.Requires::name)
                .containsExactlyInAnyOrder("java.base", "org.jspecify");
    }

    private static Set<String> packages() {
        return CORE.stream()
                .map(JavaClass::getPackageName)
                .filter(each -> !each.isEmpty())
                .collect(toCollection(TreeSet::new));
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
