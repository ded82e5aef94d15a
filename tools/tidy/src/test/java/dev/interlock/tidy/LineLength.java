package dev.interlock.tidy;

import dev.interlock.tidy.Repository.TextFile;
import java.util.ArrayList;
import java.util.List;

/**
 * No line of Java or Markdown is longer than 120 columns. A row of a Markdown table cannot be wrapped and may have 200;
 * a line whose only long part is a link may be as long as the link.
 */
final class LineLength {
    private static final int MAX_COLUMNS = 120;
    private static final int MAX_TABLE_COLUMNS = 200;

    private LineLength() {}

    static List<String> findings(Repository repository) {
        List<String> findings = new ArrayList<>();
        for (TextFile file : repository.files()) {
            if (file.is("java") || file.is("md")) {
                check(file, findings);
            }
        }
        return findings;
    }

    private static void check(TextFile file, List<String> findings) {
        for (int i = 0; i < file.lines().size(); i++) {
            String line = file.lines().get(i);
            boolean isRow = file.is("md") && line.startsWith("|");
            int allowed = isRow ? MAX_TABLE_COLUMNS : MAX_COLUMNS;
            int columns = line.codePointCount(0, line.length());
            if (columns > allowed && !line.matches("\\s*[-*/|]*\\s*\\S*(https?://|]\\()\\S*")) {
                findings.add(file.at(i) + " has " + columns + " columns, more than " + allowed);
            }
        }
    }
}
