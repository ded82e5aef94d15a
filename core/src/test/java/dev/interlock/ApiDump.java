package dev.interlock;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The public API of one module as sorted text, with one line per type or member.
 *
 * <p>The text is a file in git, so that review sees every API change as a changed line. It lists each public and
 * protected type and member of the packages that {@code module-info} exports without a qualification, with generics,
 * nullness, checked exceptions and the values of constants. It is the same on every JDK. If a public type extends a
 * hidden one, the members of the hidden type are listed with the public type, because that is where users see them.
 */
public final class ApiDump {
    private static final String ACCEPT = "interlock.api.accept";
    private static final int MAX_DIFF_LINES = 60;
    private static final Set<String> KNOWN =
            Set.of("java.lang", "java.time", "java.util", "java.util.concurrent", "java.util.function");

    private final Set<String> packages;
    private final List<Class<?>> types;

    private ApiDump(Set<String> packages, List<Class<?>> types) {
        this.packages = packages;
        this.types = types;
    }

    /** Reads the classes in a folder, which must contain a module-info and be on the class path. */
    public static ApiDump of(Path classes) throws IOException {
        return of(classes, exportedPackages(classes));
    }

    /** Reads the classes of the given packages in a folder without a module-info. */
    public static ApiDump of(Path classes, Set<String> packages) throws IOException {
        List<Class<?>> types = new ArrayList<>();
        for (String name : packages) {
            try (Stream<Path> files = Files.list(classes.resolve(name.replace('.', '/')))) {
                files.map(file -> file.getFileName().toString())
                        .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                        .map(file -> load(name + "." + file.substring(0, file.length() - ".class".length())))
                        .filter(ApiDump::isReachable)
                        .forEach(types::add);
            }
        }
        return new ApiDump(packages, types);
    }

    /**
     * Fails if the API differs from the text in the file. With {@code -Dinterlock.api.accept=true}, writes the file
     * instead.
     *
     * @param module the module as Maven's {@code -pl} names it, for the message
     */
    public void verify(Path file, String module) throws IOException {
        List<String> actual = lines();
        if (Boolean.getBoolean(ACCEPT)) {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, String.join("\n", actual) + "\n");
            return;
        }
        List<String> expected;
        try {
            expected = Files.readAllLines(file);
        } catch (NoSuchFileException missing) {
            expected = List.of();
        }
        if (!actual.equals(expected)) {
            throw new AssertionError(String.format(
                    "The public API of %1$s differs from %2$s:%n%n%3$s%n%n"
                            + "If the change is intended, accept it and commit the file together with the code:%n"
                            + "  mvn -pl %1$s -am test -Dtest=ApiDumpTest"
                            + " -Dsurefire.failIfNoSpecifiedTests=false -D%4$s=true%n",
                    module, file, diff(expected, actual), ACCEPT));
        }
    }

    /** Returns the dump: types by name, each followed by its members. */
    List<String> lines() {
        TreeMap<String, List<String>> byName = new TreeMap<>();
        for (Class<?> type : types) {
            byName.put(type.getName(), describe(type));
        }
        List<String> lines = new ArrayList<>();
        for (List<String> one : byName.values()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.addAll(one);
        }
        return lines;
    }

    // ---------------------------------------------------------------- what belongs to the API

    private static Set<String> exportedPackages(Path classes) throws IOException {
        try (InputStream in = Files.newInputStream(classes.resolve("module-info.class"))) {
            return ModuleDescriptor.read(in).exports().stream()
                    .filter(export -> !export.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ApiDump.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("The folder contains " + name + " but the class path does not", e);
        }
    }

    private static boolean isReachable(Class<?> type) {
        return !type.isAnonymousClass()
                && !type.isLocalClass()
                && isShown(type.getModifiers())
                && (type.getDeclaringClass() == null || isReachable(type.getDeclaringClass()));
    }

    private static boolean isShown(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    /** Returns whether users can name the type: it is part of this dump, or belongs to another project. */
    private boolean isNameable(Class<?> type) {
        return isReachable(type) && (packages.contains(type.getPackageName()) || !isOurs(type));
    }

    private boolean isOurs(Class<?> type) {
        return types.stream().anyMatch(t -> t.getProtectionDomain().equals(type.getProtectionDomain()));
    }

    // ---------------------------------------------------------------- types

    private List<String> describe(Class<?> type) {
        List<String> lines = new ArrayList<>();
        lines.add(header(type));
        if (type.isEnum()) {
            for (Object constant : type.getEnumConstants()) {
                lines.add("    " + ((Enum<?>) constant).name());
            }
        }
        Map<String, String> members = new TreeMap<>();
        collectMembers(type, type, members);
        members.values().forEach(member -> lines.add("    " + member));
        return lines;
    }

    private String header(Class<?> type) {
        StringBuilder header = new StringBuilder(marks(type));
        int modifiers = type.getModifiers();
        header.append(Modifier.isPublic(modifiers) ? "public " : "protected ");
        boolean isClass = kind(type).equals("class");
        if (isClass && type.isMemberClass() && Modifier.isStatic(modifiers)) {
            header.append("static ");
        }
        if (isClass && Modifier.isAbstract(modifiers)) {
            header.append("abstract ");
        }
        if (isClass && Modifier.isFinal(modifiers)) {
            header.append("final ");
        }
        boolean isSealed = type.isSealed() && !type.isEnum();
        if (isSealed) {
            header.append("sealed ");
        }
        header.append(kind(type)).append(' ').append(type.getName()).append(typeParameters(type));
        if (type.isRecord()) {
            header.append(Arrays.stream(type.getRecordComponents())
                    .map(this::component)
                    .collect(joining(", ", "(", ")")));
        }
        supertypes(type, header);
        if (isSealed) {
            header.append(Arrays.stream(type.getPermittedSubclasses())
                    .filter(this::isNameable)
                    .map(this::name)
                    .sorted()
                    .collect(joining(", ", " permits ", "")));
        }
        return header.toString();
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "@interface";
        }
        if (type.isInterface()) {
            return "interface";
        }
        if (type.isEnum()) {
            return "enum";
        }
        return type.isRecord() ? "record" : "class";
    }

    private String component(RecordComponent component) {
        return render(component.getAnnotatedType()) + " " + component.getName();
    }

    private void supertypes(Class<?> type, StringBuilder header) {
        AnnotatedType parent = type.getAnnotatedSuperclass();
        if (parent != null
                && !type.isEnum()
                && !type.isRecord()
                && type.getSuperclass() != Object.class
                && isNameable(type.getSuperclass())) {
            header.append(" extends ").append(render(parent));
        }
        String interfaces = Stream.of(type.getAnnotatedInterfaces())
                .filter(shape -> isNameable(raw(shape.getType())))
                .map(this::render)
                .sorted()
                .collect(joining(", "));
        if (!interfaces.isEmpty() && !type.isAnnotation()) {
            header.append(type.isInterface() ? " extends " : " implements ").append(interfaces);
        }
    }

    private static Class<?> raw(Type type) {
        return type instanceof ParameterizedType parameterized
                ? (Class<?>) parameterized.getRawType()
                : (Class<?>) type;
    }

    // ---------------------------------------------------------------- members

    /** Sorts by kind, name and signature, so that overloads stand together. */
    private void collectMembers(Class<?> shown, Class<?> from, Map<String, String> into) {
        for (Field field : from.getDeclaredFields()) {
            if (belongs(field) && !field.isEnumConstant()) {
                add("field ", field, describe(field), into);
            }
        }
        if (shown == from) {
            for (Constructor<?> constructor : from.getDeclaredConstructors()) {
                if (belongs(constructor) && !isCanonical(constructor)) {
                    add("constructor ", constructor, describe(constructor), into);
                }
            }
        }
        for (Method method : from.getDeclaredMethods()) {
            if (belongs(method) && !isGivenByLanguage(method)) {
                add("method ", method, describe(method), into);
            }
        }
        for (Class<?> parent : parents(from)) {
            if (!isNameable(parent)) {
                collectMembers(shown, parent, into);
            }
        }
    }

    private static void add(String kind, Member member, String text, Map<String, String> into) {
        into.put(kind + member.getName() + " " + text, kind + text);
    }

    private static List<Class<?>> parents(Class<?> type) {
        List<Class<?>> parents = new ArrayList<>(Arrays.asList(type.getInterfaces()));
        if (type.getSuperclass() != null) {
            parents.add(type.getSuperclass());
        }
        return parents;
    }

    private static boolean belongs(Member member) {
        return isShown(member.getModifiers()) && !member.isSynthetic();
    }

    /**
     * Canonical constructors are left out, because the header of the record shows them. Besides, reflection in JDK 17
     * loses the generics of a canonical constructor that a newer compiler has written.
     */
    private static boolean isCanonical(Constructor<?> constructor) {
        Class<?> owner = constructor.getDeclaringClass();
        return owner.isRecord()
                && Arrays.equals(
                        constructor.getParameterTypes(),
                        Arrays.stream(owner.getRecordComponents())
                                .map(RecordComponent::getType)
                                .toArray());
    }

    /** Methods that every enum or every record has are left out. */
    private static boolean isGivenByLanguage(Method method) {
        Class<?> owner = method.getDeclaringClass();
        String signature = method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .toList();
        if (owner.isEnum()) {
            return Set.of("values[]", "valueOf[String]").contains(signature);
        }
        if (owner.isRecord()) {
            return Set.of("equals[Object]", "hashCode[]", "toString[]").contains(signature)
                    || Arrays.stream(owner.getRecordComponents())
                            .anyMatch(component -> component.getAccessor().equals(method));
        }
        return false;
    }

    private String describe(Field field) {
        String text = marks(field)
                + modifiers(field, Modifier.fieldModifiers())
                + render(field.getAnnotatedType())
                + " "
                + field.getName();
        return text + constantValue(field);
    }

    /** The value of a constant is part of the API, because compilers copy it into the class files of users. */
    private static String constantValue(Field field) {
        boolean constant = Modifier.isStatic(field.getModifiers())
                && Modifier.isFinal(field.getModifiers())
                && Modifier.isPublic(field.getModifiers())
                && (field.getType().isPrimitive() || field.getType() == String.class);
        if (!constant) {
            return "";
        }
        try {
            field.setAccessible(true);
            Object value = field.get(null);
            return value instanceof String ? " = \"" + value + "\"" : " = " + value;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("Cannot read the constant " + field, e);
        }
    }

    private String describe(Constructor<?> constructor) {
        return marks(constructor)
                + modifiers(constructor, Modifier.constructorModifiers())
                + typeParametersBefore(constructor)
                + constructor.getDeclaringClass().getSimpleName()
                + parameters(constructor)
                + exceptions(constructor);
    }

    private String describe(Method method) {
        return marks(method)
                + (method.isDefault() ? "default " : "")
                + modifiers(method, Modifier.methodModifiers() & ~Modifier.SYNCHRONIZED & ~Modifier.NATIVE)
                + typeParametersBefore(method)
                + render(method.getAnnotatedReturnType())
                + " "
                + method.getName()
                + parameters(method)
                + exceptions(method)
                + (method.getDefaultValue() == null ? "" : " default " + method.getDefaultValue());
    }

    private static String modifiers(Member member, int mask) {
        boolean implied = member.getDeclaringClass().isInterface();
        int unsaid = Modifier.STRICT | (implied ? Modifier.PUBLIC | Modifier.ABSTRACT : 0);
        String text = Modifier.toString(member.getModifiers() & mask & ~unsaid);
        return text.isEmpty() ? "" : text + " ";
    }

    private static String marks(AnnotatedElement element) {
        return (element.isAnnotationPresent(Deprecated.class) ? "@Deprecated " : "")
                + (element.isAnnotationPresent(FunctionalInterface.class) ? "@FunctionalInterface " : "");
    }

    private String typeParametersBefore(GenericDeclaration declaration) {
        String text = typeParameters(declaration);
        return text.isEmpty() ? "" : text + " ";
    }

    private String typeParameters(GenericDeclaration declaration) {
        TypeVariable<?>[] variables = declaration.getTypeParameters();
        if (variables.length == 0) {
            return "";
        }
        return Arrays.stream(variables).map(this::typeParameter).collect(joining(", ", "<", ">"));
    }

    private String typeParameter(TypeVariable<?> variable) {
        String bounds = Arrays.stream(variable.getAnnotatedBounds())
                .map(this::render)
                .filter(bound -> !bound.equals("Object"))
                .collect(joining(" & "));
        return variable.getName() + (bounds.isEmpty() ? "" : " extends " + bounds);
    }

    private String parameters(Executable executable) {
        List<String> parameters = new ArrayList<>();
        for (Parameter parameter : executable.getParameters()) {
            String text = render(parameter.getAnnotatedType());
            parameters.add(
                    parameter.isVarArgs() && text.endsWith("[]") ? text.substring(0, text.length() - 2) + "..." : text);
        }
        return "(" + String.join(", ", parameters) + ")";
    }

    private String exceptions(Executable executable) {
        String thrown = Arrays.stream(executable.getAnnotatedExceptionTypes())
                .map(this::render)
                .sorted()
                .collect(joining(", "));
        return thrown.isEmpty() ? "" : " throws " + thrown;
    }

    // ---------------------------------------------------------------- names of types

    private String render(AnnotatedType shape) {
        String nullness = Arrays.stream(shape.getAnnotations())
                .map(annotation -> annotation.annotationType().getSimpleName())
                .filter(Set.of("Nullable", "NonNull")::contains)
                .map(name -> "@" + name + " ")
                .collect(joining());
        if (shape instanceof AnnotatedArrayType array) {
            String component = render(array.getAnnotatedGenericComponentType());
            return nullness.isEmpty() ? component + "[]" : component + " " + nullness + "[]";
        }
        if (shape instanceof AnnotatedParameterizedType parameterized) {
            String arguments = Arrays.stream(parameterized.getAnnotatedActualTypeArguments())
                    .map(this::render)
                    .collect(joining(", ", "<", ">"));
            return nullness + name(raw(shape.getType())) + arguments;
        }
        if (shape instanceof AnnotatedWildcardType wildcard) {
            return nullness
                    + "?"
                    + bound(" super ", wildcard.getAnnotatedLowerBounds())
                    + bound(" extends ", wildcard.getAnnotatedUpperBounds());
        }
        Type type = shape.getType();
        return nullness + (type instanceof Class<?> plain ? name(plain) : type.getTypeName());
    }

    private String bound(String word, AnnotatedType[] bounds) {
        String text = Arrays.stream(bounds)
                .map(this::render)
                .filter(bound -> !bound.equals("Object"))
                .collect(joining(" & "));
        return text.isEmpty() ? "" : word + text;
    }

    /** Types of Interlock and well-known types are shown without their package, unless that would be ambiguous. */
    private String name(Class<?> type) {
        if (type.isPrimitive() || !(KNOWN.contains(type.getPackageName()) || isInterlock(type))) {
            return type.getName();
        }
        boolean ambiguous = types.stream()
                .anyMatch(other -> other != type && shortName(other).equals(shortName(type)));
        return ambiguous ? type.getName() : shortName(type);
    }

    private static boolean isInterlock(Class<?> type) {
        return (type.getPackageName() + ".").startsWith("dev.interlock.");
    }

    private static String shortName(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
    }

    // ---------------------------------------------------------------- difference

    /** Returns the changed lines, each below the type that it belongs to. */
    private static String diff(List<String> expected, List<String> actual) {
        Set<String> before = qualified(expected);
        Set<String> now = qualified(actual);
        TreeSet<String> gone = new TreeSet<>(before);
        gone.removeAll(now);
        TreeSet<String> came = new TreeSet<>(now);
        came.removeAll(before);
        List<String> lines = new ArrayList<>();
        gone.forEach(line -> lines.add("- " + line));
        came.forEach(line -> lines.add("+ " + line));
        if (lines.isEmpty()) {
            return "(only the order of lines differs)";
        }
        String more = lines.size() > MAX_DIFF_LINES ? "\n… and " + (lines.size() - MAX_DIFF_LINES) + " more" : "";
        return lines.stream().limit(MAX_DIFF_LINES).collect(joining("\n")) + more;
    }

    private static Set<String> qualified(List<String> lines) {
        Set<String> qualified = new TreeSet<>();
        String owner = "";
        for (String line : lines) {
            if (line.startsWith("    ")) {
                qualified.add(owner + " : " + line.strip());
            } else if (!line.isEmpty()) {
                owner = ownerIn(line);
                qualified.add(line);
            }
        }
        return qualified;
    }

    private static String ownerIn(String header) {
        return Arrays.stream(header.split("[ <(]", -1))
                .filter(word -> word.contains("."))
                .findFirst()
                .orElse(header);
    }
}
