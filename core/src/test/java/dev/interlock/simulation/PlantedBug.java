package dev.interlock.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A mistake that somebody might make in the engine or the store, as a change of its source text.
 *
 * @param name what is wrong
 * @param file the source file below {@code dev/interlock}
 * @param seed one that has found it: tried first, which saves a search as long as the simulation is the same
 * @param original a text that stands there exactly once
 * @param broken what replaces it
 */
record PlantedBug(String name, String file, long seed, String original, String broken) {
    /** The list in {@code planted-bugs.txt}. */
    static List<PlantedBug> all() throws IOException {
        try (InputStream list = PlantedBug.class.getResourceAsStream("planted-bugs.txt")) {
            String text = new String(Objects.requireNonNull(list).readAllBytes(), StandardCharsets.UTF_8);
            List<PlantedBug> bugs = new ArrayList<>();
            for (String bug : text.split("\n=== ", -1)) {
                if (bug.contains("\n--- original\n")) {
                    bugs.add(parse(bug.endsWith("\n") ? bug.substring(0, bug.length() - 1) : bug));
                }
            }
            return bugs;
        }
    }

    private static PlantedBug parse(String text) {
        int original = text.indexOf("\n--- original\n");
        int broken = text.indexOf("\n--- broken");
        String[] head = text.substring(0, original).split("\n", -1);
        return new PlantedBug(
                head[0],
                head[1],
                head.length > 2 ? Long.parseLong(head[2].substring("seed ".length())) : 1,
                text.substring(original + "\n--- original\n".length(), broken),
                text.substring(Math.min(text.length(), broken + "\n--- broken\n".length()))
                        .stripTrailing());
    }

    @Override
    public String toString() {
        return name;
    }
}
