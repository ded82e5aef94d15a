package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Programs;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.XZInputStream;

/** Extracts server programs from jars. */
final class Archives {
    private Archives() {}

    /** Copies one entry of a jar to an executable file. */
    static void program(Path jar, String entry, Path file) throws IOException {
        try (JarFile opened = new JarFile(jar.toFile());
                InputStream content = open(opened, entry)) {
            Files.copy(content, file);
        }
        makeExecutable(file);
    }

    /** Copies everything under a folder of a jar. */
    static void tree(Path jar, String prefix, Path folder) throws IOException {
        try (JarFile opened = new JarFile(jar.toFile())) {
            for (JarEntry entry : opened.stream().toList()) {
                if (entry.getName().startsWith(prefix) && !entry.isDirectory()) {
                    Path file = folder.resolve(entry.getName().substring(prefix.length()))
                            .normalize();
                    Files.createDirectories(file.getParent());
                    try (InputStream content = opened.getInputStream(entry)) {
                        Files.copy(content, file);
                    }
                }
            }
        }
    }

    /** Unpacks a compressed tar that is an entry of a jar. The system's tar preserves links and permissions. */
    static void tar(Path jar, String entry, Path folder) throws IOException {
        try (JarFile opened = new JarFile(jar.toFile());
                InputStream content = open(opened, entry);
                InputStream plain = entry.endsWith("xz") ? new XZInputStream(content) : new GZIPInputStream(content)) {
            Programs.run(List.of("tar", "-x", "--no-same-owner", "-C", folder.toString()), folder, plain);
        }
    }

    static void makeExecutable(Path file) throws IOException {
        if (!file.toFile().setExecutable(true, false)) {
            throw new IOException("Could not make " + file + " executable");
        }
    }

    private static InputStream open(JarFile jar, String entry) throws IOException {
        JarEntry found = jar.getJarEntry(entry);
        if (found == null) {
            throw new FileNotFoundException(entry + " in " + jar.getName());
        }
        return jar.getInputStream(found);
    }
}
