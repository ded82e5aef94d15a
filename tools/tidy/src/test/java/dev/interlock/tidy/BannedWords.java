package dev.interlock.tidy;

import dev.interlock.tidy.Repository.TextFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Words that the project does not use, in prose and in names; the list is {@code banned-words.txt}. */
final class BannedWords {
    /** The list itself, text of other authors, and the glossary of the code of conduct. */
    private static final List<String> EXEMPT = List.of("banned-words.txt", "CODE_OF_CONDUCT.md");

    private static final Pattern INNER_WORD = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|_");

    private final List<Rule> rules;

    private record Rule(Pattern words, String advice) {}

    BannedWords() {
        this.rules = read();
    }

    List<String> findings(Repository repository) {
        List<String> findings = new ArrayList<>();
        for (TextFile file : repository.files()) {
            if (EXEMPT.stream().noneMatch(file.path()::endsWith)) {
                check(file, findings);
            }
        }
        return findings;
    }

    private void check(TextFile file, List<String> findings) {
        for (int i = 0; i < file.lines().size(); i++) {
            String line = INNER_WORD.matcher(file.lines().get(i)).replaceAll(" ");
            for (Rule rule : rules) {
                Matcher matcher = rule.words().matcher(line);
                if (matcher.find()) {
                    findings.add(file.at(i) + " says \"" + matcher.group() + "\": " + rule.advice());
                }
            }
        }
    }

    private static List<Rule> read() {
        try (InputStream in = BannedWords.class.getResourceAsStream("banned-words.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(BannedWords::rule)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Rule rule(String line) {
        int arrow = line.indexOf(" -> ");
        return new Rule(
                Pattern.compile("\\b(" + line.substring(0, arrow) + ")\\b", Pattern.CASE_INSENSITIVE),
                line.substring(arrow + 4));
    }
}
