package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A common numbering for the names of all logs. */
final class NameTable {
    private final Map<String, Integer> ids = new HashMap<>();
    private final List<String> names = new ArrayList<>();

    int idOf(String name) {
        return ids.computeIfAbsent(name, added -> {
            names.add(added);
            return names.size() - 1;
        });
    }

    List<String> names() {
        return names;
    }
}
