package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Folders;
import dev.interlock.testkit.process.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Programs and libraries that exist only as Debian packages, unpacked into the cache. Nothing is installed: root is not
 * needed, and the system is not changed.
 */
final class DebianPackages {
    private DebianPackages() {}

    /** Returns the folder with this package unpacked; the program of {@code etcd} is {@code usr/bin/etcd} in it. */
    static Path unpacked(String name) {
        return ServerCache.entry("debian-" + name, folder -> unpack(name, folder));
    }

    /** Returns the folder with the libraries of a package. */
    static Path libraries(String name) {
        return unpacked(name).resolve("usr/lib/x86_64-linux-gnu");
    }

    private static void unpack(String name, Path folder) throws IOException {
        try {
            download(name, folder);
        } catch (IllegalStateException e) {
            throw new MissingServerException(
                    "The Debian package " + name
                            + " could not be downloaded. Where apt-get cannot, run 'apt-get download "
                            + name + "' elsewhere and unpack it with 'dpkg -x' into "
                            + folder.toString().replace(".unfinished", "") + ".",
                    e);
        }
        for (Path file : packagesIn(folder)) {
            Programs.run(List.of("dpkg", "-x", file.toString(), folder.toString()), folder);
            Files.delete(file);
        }
    }

    private static void download(String name, Path folder) throws IOException {
        try {
            Programs.run(apt(List.of(), "download", name), folder);
        } catch (IllegalStateException noLists) {
            // A slim image has no package lists. They are downloaded into the cache, not into the system's folders.
            Path state = Files.createDirectories(folder.resolve("apt"));
            Files.createDirectories(state.resolve("lists/partial"));
            List<String> own =
                    List.of("-o", "Dir::State::lists=" + state.resolve("lists"), "-o", "Dir::Cache=" + state);
            Programs.run(apt(own, "update"), folder);
            Programs.run(apt(own, "download", name), folder);
            Folders.delete(state);
        }
    }

    private static List<String> apt(List<String> options, String... command) {
        List<String> line = new ArrayList<>(List.of("apt-get", "-q", "-o", "APT::Sandbox::User="));
        line.addAll(options);
        line.addAll(List.of(command));
        return line;
    }

    private static List<Path> packagesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".deb")).toList();
        }
    }
}
