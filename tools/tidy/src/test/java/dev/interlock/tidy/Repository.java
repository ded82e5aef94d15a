package dev.interlock.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The text files of the project, without build output. Immutable. */
final class Repository {
    private static final Set<String> NOT_OURS = Set.of(".git", "target", "node_modules", ".idea");
    private static final Set<String> EXTENSIONS =
            Set.of("java", "md", "lua", "sql", "xml", "yml", "yaml", "txt", "properties", "sh", "api");

    private final Path root;
    private final List<TextFile> files;

    private Repository(Path root, List<TextFile> files) {
        this.root = root;
        this.files = List.copyOf(files);
    }

    /** A file with its path relative to the root. */
    record TextFile(Path path, List<String> lines) {
        boolean is(String extension) {
            return path.toString().endsWith("." + extension);
        }

        /** Whether it is a Java source that users get, other than one of a sample project. */
        boolean isMainJava() {
            return is("java")
                    && path.toString().contains("src/main/java/")
                    && !path.toString().contains("src/test/");
        }

        String text() {
            return String.join("\n", lines);
        }

        String at(int line) {
            return path + ":" + (line + 1);
        }
    }

    /** Reads the project to which the working directory belongs. */
    static Repository read() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("LICENSE"))) {
            root = root.getParent();
        }
        return read(root);
    }

    static Repository read(Path root) {
        List<TextFile> files = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return NOT_OURS.contains(String.valueOf(folder.getFileName()))
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    String name = file.getFileName().toString();
                    if (EXTENSIONS.contains(name.substring(name.lastIndexOf('.') + 1))
                            || (name.indexOf('.') < 0 && Files.isExecutable(file))) {
                        files.add(new TextFile(root.relativize(file), Files.readAllLines(file)));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        files.sort((a, b) -> a.path().compareTo(b.path()));
        return new Repository(root, files);
    }

    Path root() {
        return root;
    }

    List<TextFile> files() {
        return files;
    }

    List<TextFile> files(String extension) {
        return files.stream().filter(file -> file.is(extension)).toList();
    }

    List<TextFile> mainJava() {
        return files.stream().filter(TextFile::isMainJava).toList();
    }
}
