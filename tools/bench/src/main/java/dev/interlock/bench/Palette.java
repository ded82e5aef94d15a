package dev.interlock.bench;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Assigns a colour to each contender, the same one on the whole page.
 *
 * <p>Colours are CSS classes such as {@code peer-2}. If a role has more contenders than colours, the colours repeat;
 * the labels distinguish them.
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

    /** The class of all contenders of a role. */
    static String of(Contender.Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }

    /** The class of one contender. */
    String of(Contender contender) {
        return colours.getOrDefault(contender.name(), of(contender.role()));
    }
}
