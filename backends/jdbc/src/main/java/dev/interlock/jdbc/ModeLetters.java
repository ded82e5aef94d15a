package dev.interlock.jdbc;

import dev.interlock.lock.LockMode;
import dev.interlock.spi.StoreException;

/** Lock modes as the tables store them: by their first letters. */
final class ModeLetters {
    private ModeLetters() {}

    static String letter(LockMode mode) {
        return switch (mode) {
            case EXCLUSIVE -> "E";
            case SHARED -> "S";
            case PERMITS -> "P";
        };
    }

    static boolean isKnown(String letter) {
        return letter.equals("E") || letter.equals("S") || letter.equals("P");
    }

    static LockMode of(String letter) {
        return switch (letter) {
            case "E" -> LockMode.EXCLUSIVE;
            case "S" -> LockMode.SHARED;
            case "P" -> LockMode.PERMITS;
            default -> throw StoreException.refused("A row of this lock has the unknown mode \"" + letter + "\"");
        };
    }
}
