import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints what each module used of its budget in {@code mvn verify}, from the summary that Maven prints at its end.
 *
 * <p>Usage: {@code java Budgets.java <budgets> <log of mvn verify>}. A module over its budget is marked, not failed:
 * computers differ. Exits with 1 when budgets add up to more than ten minutes, or when a module has none.
 */
final class Budgets {
    private static final int MAX_SECONDS = 600;
    private static final Pattern BUDGET = Pattern.compile("(.*\\S)\\s+(\\d+)");
    private static final Pattern USED =
            Pattern.compile("\\[INFO] (Interlock.*?) \\.* ?SUCCESS \\[ *([\\d.:]+) (s|min)\\].*");

    private Budgets() {}

    public static void main(String[] args) throws Exception {
        Map<String, Integer> budgets = read(Files.readAllLines(Path.of(args[0])));
        boolean isFine = true;
        double sum = 0;
        System.out.printf("%n%-32s %8s %8s%n", "mvn verify, seconds", "used", "budget");
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            Matcher matcher = USED.matcher(line);
            if (matcher.matches()) {
                String module = matcher.group(1);
                double used = seconds(matcher.group(2), matcher.group(3));
                Integer budget = budgets.get(module);
                isFine &= budget != null;
                sum += used;
                String remark = budget == null ? "  has no line in .ci/budgets" : used > budget ? "  over" : "";
                System.out.printf("%-32s %8.0f %8s%s%n", module, used, budget == null ? "" : budget, remark);
            }
        }
        int total = budgets.values().stream().mapToInt(Integer::intValue).sum();
        System.out.printf("%-32s %8.0f %8d%n", "all", sum, total);
        if (total > MAX_SECONDS) {
            System.out.println("The budgets add up to more than " + MAX_SECONDS + " seconds.");
            isFine = false;
        }
        System.exit(isFine ? 0 : 1);
    }

    private static Map<String, Integer> read(List<String> lines) {
        Map<String, Integer> budgets = new LinkedHashMap<>();
        for (String line : lines) {
            Matcher matcher = BUDGET.matcher(line);
            if (!line.startsWith("#") && matcher.matches()) {
                budgets.put(matcher.group(1), Integer.valueOf(matcher.group(2)));
            }
        }
        return budgets;
    }

    private static double seconds(String time, String unit) {
        if (unit.equals("s")) {
            return Double.parseDouble(time);
        }
        int colon = time.indexOf(':');
        return 60 * Integer.parseInt(time.substring(0, colon)) + Integer.parseInt(time.substring(colon + 1));
    }
}
