package dev.interlock.tidy;

import dev.interlock.tidy.Repository.TextFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Every relative link in Markdown leads to a file, and every anchor to a heading of that file. */
final class Links {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)|^\\[[^]]+]:\\s*(\\S+)");

    private final Repository repository;

    Links(Repository repository) {
        this.repository = repository;
    }

    List<String> findings() {
        List<String> findings = new ArrayList<>();
        for (TextFile file : repository.files("md")) {
            boolean isCode = false;
            for (int i = 0; i < file.lines().size(); i++) {
                String line = file.lines().get(i);
                isCode ^= line.strip().startsWith("```");
                Matcher matcher = LINK.matcher(isCode ? "" : line);
                while (matcher.find()) {
                    String link = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
                    if (!link.matches("(https?|mailto):.*") && !leadsSomewhere(file, link)) {
                        findings.add(file.at(i) + " links to " + link + ", which does not exist");
                    }
                }
            }
        }
        return findings;
    }

    private boolean leadsSomewhere(TextFile from, String link) {
        String[] parts = link.split("#", 2);
        Path folder = from.path().getParent();
        Path path = parts[0].isEmpty()
                ? from.path()
                : (folder == null ? Path.of(parts[0]) : folder.resolve(parts[0])).normalize();
        if (!Files.exists(repository.root().resolve(path))) {
            return false;
        }
        return parts.length < 2
                || repository.files("md").stream()
                        .filter(file -> file.path().equals(path))
                        .anyMatch(file -> anchors(file).contains(parts[1]));
    }

    /** As GitHub makes them from headings. */
    private static Set<String> anchors(TextFile file) {
        Set<String> anchors = new HashSet<>();
        for (String line : file.lines()) {
            if (line.startsWith("#")) {
                anchors.add(line.replaceFirst("^#+\\s*", "")
                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}\\- _]", "")
                        .strip()
                        .replace(' ', '-'));
            }
        }
        return anchors;
    }
}
