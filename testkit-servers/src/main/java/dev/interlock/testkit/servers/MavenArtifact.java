package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A jar from a Maven repository, downloaded when a test needs it and never on a class path.
 *
 * <p>As a dependency it would cost every user 200 MB of servers, and two of these jars define the same classes. Maven
 * itself downloads it, so mirrors, proxies and credentials are those of the user's settings.
 */
record MavenArtifact(String group, String name, String version) {
    private static final String DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:";

    /** Returns the jar in the local repository; Maven downloads it if it is missing. */
    Path jar() {
        Path file = localRepository()
                .resolve(Path.of(group.replace('.', '/'), name, version, name + "-" + version + ".jar"));
        if (!Files.isRegularFile(file)) {
            // Not in the folder of a project, whose settings would apply.
            maven(Path.of("/"), DEPENDENCY_PLUGIN + "get", "-Dartifact=" + this, "-Dtransitive=false");
        }
        return file;
    }

    /** Downloads these jars and their run-time dependencies into this folder, except the given groups. */
    static void withDependencies(Path folder, List<MavenArtifact> artifacts, List<String> withoutGroups)
            throws IOException {
        Path project = folder.resolve("pom.xml");
        String dependencies =
                artifacts.stream().map(MavenArtifact::asDependency).collect(Collectors.joining("\n"));
        Files.writeString(project, """
                <project>
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>dev.interlock.testkit</groupId>
                  <artifactId>server</artifactId>
                  <version>1</version>
                  <dependencies>
                %s
                  </dependencies>
                </project>
                """.formatted(dependencies));
        artifacts
                .get(0)
                .maven(
                        folder,
                        "-f",
                        project.toString(),
                        DEPENDENCY_PLUGIN + "copy-dependencies",
                        "-DincludeScope=runtime",
                        "-DexcludeGroupIds=" + String.join(",", withoutGroups),
                        "-DoutputDirectory=" + folder);
    }

    private String asDependency() {
        return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>"
                .formatted(group, name, version);
    }

    private void maven(Path folder, String... arguments) {
        List<String> line = Stream.concat(
                        Stream.of("mvn", "-B", "-ntp", "-q", "-Dmaven.repo.local=" + localRepository()),
                        Stream.of(arguments))
                .toList();
        try {
            Programs.run(line, folder);
        } catch (IllegalStateException e) {
            throw new MissingServerException(
                    "The server in " + this
                            + " is not in the local Maven repository and Maven could not fetch it. Run 'mvn "
                            + DEPENDENCY_PLUGIN + "get -Dartifact=" + this
                            + "' once while a repository can be reached.",
                    e);
        }
    }

    /** Surefire passes the location of the build's repository to its tests. */
    private static Path localRepository() {
        return Stream.of("maven.repo.local", "localRepository")
                .map(System::getProperty)
                .filter(path -> path != null && !path.isBlank())
                .findFirst()
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".m2", "repository"));
    }

    @Override
    public String toString() {
        return group + ":" + name + ":" + version;
    }
}
