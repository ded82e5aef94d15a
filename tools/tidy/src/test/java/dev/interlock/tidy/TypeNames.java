package dev.interlock.tidy;

import dev.interlock.tidy.Repository.TextFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** No two top-level main types share a simple name, and public ones say since when they exist. */
final class TypeNames {
    private static final Pattern PUBLIC_TYPE =
            Pattern.compile("^public .*\\b(class|interface|record|enum|@interface) ", Pattern.MULTILINE);

    private TypeNames() {}

    static List<String> shared(Repository repository) {
        Map<String, List<TextFile>> byName = new TreeMap<>();
        for (TextFile file : repository.mainJava()) {
            String name = file.path().getFileName().toString();
            if (!name.endsWith("-info.java")) {
                byName.computeIfAbsent(name, key -> new ArrayList<>()).add(file);
            }
        }
        return byName.values().stream()
                .filter(files -> files.size() > 1)
                .map(files -> "These types share a name: "
                        + files.stream().map(TextFile::path).toList())
                .toList();
    }

    /** Of the modules that are published; tools and examples are programs, not API. */
    static List<String> withoutSince(Repository repository) {
        return repository.mainJava().stream()
                .filter(file -> !file.path().startsWith("tools") && !file.path().startsWith("examples"))
                .filter(file -> !file.path().toString().contains("/internal/"))
                .filter(file ->
                        PUBLIC_TYPE.matcher(file.text()).find() && !file.text().contains("@since"))
                .map(file -> file.path() + " is public and has no @since")
                .toList();
    }
}
