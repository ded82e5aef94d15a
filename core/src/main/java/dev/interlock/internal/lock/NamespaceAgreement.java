package dev.interlock.internal.lock;

import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockType;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The namespace agreement, as the text that the store keeps: the protocol version and the declared lock orders.
 *
 * <pre>
 *   interlock 2
 *   character=1 equipment=2 cube=3
 * </pre>
 *
 * Orders agree if all of them together have no cycle. An order that adds nothing to another one is left out. So there
 * is usually one line; several lines mean that services declare different types.
 *
 * <p>Pure. See ADR 0004.
 */
record NamespaceAgreement(List<Map<String, Integer>> orders) {
    private static final String HEADER = "interlock ";
    private static final int VERSION = 2;
    private static final int MAX_ORDERS = 64;

    /** The text does not have the format that this version writes. */
    static final class UnknownVersion extends Exception {
        private static final long serialVersionUID = 1L;

        UnknownVersion(String found) {
            super("the namespace uses \"" + found + "\", this process \"" + HEADER + VERSION + "\"");
        }
    }

    static NamespaceAgreement parse(String text) throws UnknownVersion {
        if (text.isEmpty()) {
            return new NamespaceAgreement(List.of());
        }
        List<String> lines = text.lines().toList();
        if (!lines.get(0).equals(HEADER + VERSION)) {
            throw new UnknownVersion(lines.get(0));
        }
        List<Map<String, Integer>> orders = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            Map<String, Integer> ranks = new LinkedHashMap<>();
            for (String entry : line.split(" ", -1)) {
                int equals = entry.lastIndexOf('=');
                if (equals < 0) {
                    throw new UnknownVersion(line);
                }
                try {
                    ranks.put(
                            URLDecoder.decode(entry.substring(0, equals), StandardCharsets.UTF_8),
                            Integer.valueOf(entry.substring(equals + 1)));
                } catch (IllegalArgumentException e) {
                    throw new UnknownVersion(line);
                }
            }
            orders.add(ranks);
        }
        return new NamespaceAgreement(orders);
    }

    static Map<String, Integer> ranksOf(LockOrder order) {
        Map<String, Integer> ranks = new LinkedHashMap<>();
        for (LockType type : order.types()) {
            type.rank().ifPresent(rank -> ranks.put(type.name(), rank));
        }
        return ranks;
    }

    /**
     * Describes two types that this order has in reverse; empty if it agrees with all declared orders. Orders without
     * a common type may contradict each other through a third one, so all of them are checked together.
     */
    Optional<String> conflictWith(Map<String, Integer> ranks) {
        List<String> own = chain(ranks);
        for (int i = 0; i + 1 < own.size(); i++) {
            Set<String> after = reachableFrom(own.get(i + 1));
            for (int j = 0; j <= i; j++) {
                if (after.contains(own.get(j))) {
                    return Optional.of("here \"" + own.get(j) + "\" comes before \"" + own.get(i + 1)
                            + "\", in other processes it comes after");
                }
            }
        }
        return Optional.empty();
    }

    /** All types that come after this one, in one order or through several. */
    private Set<String> reachableFrom(String type) {
        Set<String> seen = new HashSet<>();
        ArrayDeque<String> open = new ArrayDeque<>(List.of(type));
        while (!open.isEmpty()) {
            String next = open.poll();
            for (Map<String, Integer> order : orders) {
                List<String> chain = chain(order);
                int at = chain.indexOf(next);
                if (at >= 0 && at + 1 < chain.size() && seen.add(chain.get(at + 1))) {
                    open.add(chain.get(at + 1));
                }
            }
        }
        return seen;
    }

    private static List<String> chain(Map<String, Integer> ranks) {
        return ranks.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The agreement with one more order, which does not conflict. */
    NamespaceAgreement with(Map<String, Integer> ranks) {
        if (ranks.isEmpty() || orders.stream().anyMatch(other -> other.keySet().containsAll(ranks.keySet()))) {
            return this;
        }
        List<Map<String, Integer>> more = new ArrayList<>(orders);
        more.removeIf(other -> ranks.keySet().containsAll(other.keySet()));
        more.add(ranks);
        return new NamespaceAgreement(more);
    }

    boolean isFull() {
        return orders.size() >= MAX_ORDERS;
    }

    String text() {
        StringBuilder text = new StringBuilder(HEADER).append(VERSION);
        for (Map<String, Integer> order : orders) {
            text.append('\n');
            String separator = "";
            for (Map.Entry<String, Integer> entry : order.entrySet()) {
                text.append(separator)
                        .append(URLEncoder.encode(entry.getKey(), StandardCharsets.UTF_8))
                        .append('=')
                        .append(entry.getValue());
                separator = " ";
            }
        }
        return text.toString();
    }
}
