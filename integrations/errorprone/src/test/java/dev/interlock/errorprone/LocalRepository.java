package dev.interlock.errorprone;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * A Maven local repository that links to everything in another one, but has its own Interlock artifacts.
 *
 * <p>A build finds the usual artifacts, and nothing that is added here gets into the real repository.
 */
final class LocalRepository implements AutoCloseable {
    private static final Path OURS = Path.of("dev/interlock");
    private final Path folder;

    private LocalRepository(Path folder) {
        this.folder = folder;
    }

    static LocalRepository borrowing(Path real, Path folder) throws IOException {
        link(real, folder, OURS.getName(0));
        link(real.resolve(OURS.getName(0)), folder.resolve(OURS.getName(0)), OURS.getName(1));
        return new LocalRepository(folder);
    }

    private static void link(Path from, Path to, Path except) throws IOException {
        Files.createDirectories(to);
        if (!Files.isDirectory(from)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> entries = Files.list(from)) {
            all = entries.filter(each -> !each.endsWith(except)).toList();
        }
        for (Path each : all) {
            Files.createSymbolicLink(to.resolve(each.getFileName()), each);
        }
    }

    /** Adds an artifact without a jar. */
    void add(String artifact, Path pom) throws IOException {
        Files.copy(pom, place(artifact, "pom"));
    }

    /** Adds an artifact with a jar of these classes. */
    void add(String artifact, Path pom, Path classes) throws IOException {
        add(artifact, pom);
        List<Path> all;
        try (Stream<Path> files = Files.walk(classes)) {
            all = files.filter(Files::isRegularFile).toList();
        }
        try (OutputStream file = Files.newOutputStream(place(artifact, "jar"));
                JarOutputStream jar = new JarOutputStream(file)) {
            for (Path each : all) {
                jar.putNextEntry(
                        new ZipEntry(classes.relativize(each).toString().replace('\\', '/')));
                Files.copy(each, jar);
            }
        }
    }

    /** Deletes the links, but not their targets. */
    @Override
    public void close() throws IOException {
        for (Path each : List.of(folder, folder.resolve(OURS.getName(0)))) {
            List<Path> links;
            try (Stream<Path> entries = Files.list(each)) {
                links = entries.filter(Files::isSymbolicLink).toList();
            }
            for (Path link : links) {
                Files.delete(link);
            }
        }
    }

    private Path place(String artifact, String kind) throws IOException {
        String version =
                Objects.requireNonNull(System.getProperty("interlock.version"), "interlock.version is not set");
        Path home =
                Files.createDirectories(folder.resolve(OURS).resolve(artifact).resolve(version));
        return home.resolve(artifact + "-" + version + "." + kind);
    }
}
