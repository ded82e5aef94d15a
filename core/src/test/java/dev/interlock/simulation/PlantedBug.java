package dev.interlock.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A possible mistake in the engine or the store, as a change of its source text.
 *
 * @param name the mistake
 * @param file the source file below {@code dev/interlock}
 * @param seed a seed that found it. It is tried first, which saves the search as long as the simulation does not change
 * @param original a text that occurs exactly once in the file
 * @param broken the text that replaces it
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
