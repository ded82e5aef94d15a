package dev.interlock.bench;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Which colour a contender has: the same one wherever it appears on a page.
 *
 * <p>Colours are classes of the stylesheet, for example {@code peer-2}. Whoever comes after the last colour of a role shares with the
 * first, and is told apart by its label.
 */
final class Palette {
    private static final Map<Contender.Role, Integer> COLOURS =
            new EnumMap<>(Map.of(Contender.Role.OURS, 3, Contender.Role.FLOOR, 3, Contender.Role.PEER, 8));

    private final Map<String, String> colours = new LinkedHashMap<>();

    Palette(SuiteResult result) {
        Map<Contender.Role, Integer> used = new EnumMap<>(Contender.Role.class);
        for (WorkloadResult workload : result.workloads()) {
            for (Contender contender : workload.workload().contenders()) {
                colours.computeIfAbsent(contender.name(), name -> next(contender.role(), used));
            }
        }
    }

    private static String next(Contender.Role role, Map<Contender.Role, Integer> used) {
        int before = used.merge(role, 1, Integer::sum) - 1;
        return of(role) + '-' + before % COLOURS.getOrDefault(role, 1);
    }

    /** What all contenders of a role have in common. */
    static String of(Contender.Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }

    /** The colour of this one alone. */
    String of(Contender contender) {
        return colours.getOrDefault(contender.name(), of(contender.role()));
    }
}
