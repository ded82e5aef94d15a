package dev.interlock.redis;

import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;

/** Owners as Redis keeps them: without {@code #}, which divides the parts of a value. */
final class Owners {
    private Owners() {}

    static String encode(OwnerId owner) {
        String value = owner.value();
        return value.indexOf('#') < 0 && value.indexOf('%') < 0
                ? value
                : value.replace("%", "%25").replace("#", "%23");
    }

    static OwnerId decode(String text) {
        return OwnerId.parse(text.replace("%23", "#").replace("%25", "%"));
    }

    /** What renewal and release compare: owner and number together. */
    static String name(Grant grant) {
        return encode(grant.owner()) + '#' + grant.number();
    }
}
