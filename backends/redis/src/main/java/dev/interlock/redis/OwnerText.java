package dev.interlock.redis;

import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;

/** Owners and grants as text in Redis. An owner is written without {@code #}, which separates the parts of a value. */
final class OwnerText {
    private OwnerText() {}

    static String encode(OwnerId owner) {
        String value = owner.value();
        return value.indexOf('#') < 0 && value.indexOf('%') < 0
                ? value
                : value.replace("%", "%25").replace("#", "%23");
    }

    /** Owner and number together, which is what renewal and release compare. */
    static String encode(Grant grant) {
        return encode(grant.owner()) + '#' + grant.number();
    }

    static OwnerId decode(String text) {
        return OwnerId.parse(text.replace("%23", "#").replace("%25", "%"));
    }
}
