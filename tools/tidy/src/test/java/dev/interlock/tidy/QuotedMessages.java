package dev.interlock.tidy;

import dev.interlock.tidy.Repository.TextFile;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Messages that the documentation quotes exist in the code.
 *
 * <p>A quote is a line of a block marked as {@code message}. What differs from case to case stands in angle brackets,
 * {@code <key> is held by <holder>}; each part between them must be in a string of the main sources.
 */
final class QuotedMessages {
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");

    /** Two literals that are one text, only wrapped by the formatter. */
    private static final Pattern WRAPPED = Pattern.compile("\"\\s*\\+\\s*\"");

    private QuotedMessages() {}

    static List<String> findings(Repository repository) {
        String messages = repository.mainJava().stream()
                .map(file -> literals(file.text()))
                .collect(Collectors.joining("\n"));
        List<String> findings = new ArrayList<>();
        for (TextFile file : repository.files("md")) {
            check(file, messages, findings);
        }
        return findings;
    }

    private static void check(TextFile file, String messages, List<String> findings) {
        boolean isQuote = false;
        for (int i = 0; i < file.lines().size(); i++) {
            String line = file.lines().get(i).strip();
            if (line.startsWith("```")) {
                isQuote = line.equals("```message");
            } else if (isQuote) {
                for (String part : line.split("<[^>]*>", -1)) {
                    if (!messages.contains(part.strip())) {
                        findings.add(file.at(i) + " quotes \"" + part.strip() + "\", which no message says");
                    }
                }
            }
        }
    }

    private static String literals(String source) {
        StringBuilder all = new StringBuilder();
        Matcher matcher = LITERAL.matcher(WRAPPED.matcher(source).replaceAll(""));
        while (matcher.find()) {
            all.append(matcher.group(1).replace("\\\"", "\"")).append('\n');
        }
        return all.toString();
    }
}
