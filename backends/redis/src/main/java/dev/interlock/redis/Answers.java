package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns the scripts' replies into the answers of the SPI. */
final class Answers {
    private static final String UNKNOWN = "unknown";

    private Answers() {}

    /** A free attempt is answered by a bare number, everything else by a word and what belongs to it. */
    static AttemptAnswer attempt(Object reply, OwnerId owner, List<Claim> claims, List<Renewal> held) {
        if (reply instanceof Long number) {
            List<Granted> granted = new ArrayList<>(claims.size());
            for (Claim claim : claims) {
                granted.add(new Granted(new Grant(claim.key(), owner, number), claim.lease()));
            }
            return new AttemptAnswer.All(granted);
        }
        List<?> parts = Reply.list(reply);
        String word = Reply.text(parts.get(0));
        return switch (word) {
            case "all" -> new AttemptAnswer.All(granted(parts.get(1), owner, claims));
            case "queued" -> {
                List<Granted> granted = granted(parts.get(1), owner, claims);
                yield new AttemptAnswer.Queued(
                        granted, obstacle(claims.get(granted.size()).key(), parts));
            }
            case "busy" -> {
                List<Granted> granted = granted(parts.get(1), owner, claims);
                yield new AttemptAnswer.Busy(
                        granted, obstacle(claims.get(granted.size()).key(), parts));
            }
            case "gone" ->
                new AttemptAnswer.HeldGone(
                        held.get((int) Reply.number(parts.get(1))).grant().key());
            case "quarantined" ->
                throw StoreException.notNow(
                        "Redis has lost its memory and grants nothing until locks it may have forgotten have ended, for another "
                                + Duration.ofMillis(Reply.number(parts.get(1))),
                        null);
            case "alien" ->
                throw StoreException.refused("The Redis key of lock \""
                        + key((int) Reply.number(parts.get(1)), claims, held) + "\" holds a " + Reply.text(parts.get(2))
                        + " that is none of ours: remove it, or choose another name or namespace");
            default -> throw new IllegalStateException("The script answered " + word);
        };
    }

    private static LockKey key(int index, List<Claim> claims, List<Renewal> held) {
        return index < claims.size()
                ? claims.get(index).key()
                : held.get(index - claims.size()).grant().key();
    }

    private static List<Granted> granted(@Nullable Object reply, OwnerId owner, List<Claim> claims) {
        List<?> grants = Reply.list(reply);
        List<Granted> granted = new ArrayList<>(grants.size());
        for (int i = 0; i < grants.size(); i++) {
            granted.add(granted(Reply.list(grants.get(i)), owner, claims.get(i).key()));
        }
        return granted;
    }

    private static Granted granted(List<?> numberAndLeft, OwnerId owner, LockKey key) {
        return new Granted(
                new Grant(key, owner, Reply.number(numberAndLeft.get(0))),
                Duration.ofMillis(Reply.number(numberAndLeft.get(1))));
    }

    private static AttemptAnswer.Obstacle obstacle(LockKey key, List<?> parts) {
        // A false at the end of a script's list is dropped by the server.
        Object holder = parts.size() > 3 ? parts.get(3) : null;
        return new AttemptAnswer.Obstacle(
                key,
                holder == null ? Optional.empty() : Optional.of(holder(Reply.list(holder))),
                Duration.ofMillis(Reply.number(parts.get(2))));
    }

    static LockSnapshot.Holder holder(List<?> parts) {
        String mode = Reply.text(parts.get(2));
        boolean foreign = mode.equals("F");
        return new LockSnapshot.Holder(
                foreign ? UNKNOWN : Reply.text(parts.get(1)),
                foreign ? UNKNOWN : owner(Reply.text(parts.get(0))),
                mode.equals("S") ? LockMode.SHARED : mode.equals("P") ? LockMode.PERMITS : LockMode.EXCLUSIVE,
                (int) Reply.number(parts.get(3)),
                Reply.number(parts.get(4)),
                Duration.ofMillis(Reply.number(parts.get(5))),
                Duration.ofMillis(Reply.number(parts.get(6))));
    }

    /** What looks like ours at first sight may have been written by somebody else. */
    private static String owner(String text) {
        try {
            return Owners.decode(text).toString();
        } catch (IllegalArgumentException notOurs) {
            return UNKNOWN;
        }
    }

    static WaitAnswer waiting(@Nullable Object reply, OwnerId owner, LockKey key) {
        List<?> parts = Reply.list(reply);
        return switch (parts.size()) {
            case 0 -> new WaitAnswer.Forgotten();
            case 1 -> new WaitAnswer.Waiting(Duration.ofMillis(Reply.number(parts.get(0))));
            default -> new WaitAnswer.Won(granted(parts, owner, key));
        };
    }

    static Optional<Granted> withdrawn(@Nullable Object reply, OwnerId owner, LockKey key) {
        List<?> parts = Reply.list(reply);
        return parts.isEmpty() ? Optional.empty() : Optional.of(granted(parts, owner, key));
    }

    static RenewalAnswer renewal(@Nullable Object reply) {
        long left = Reply.number(reply);
        if (left >= 0) {
            return new RenewalAnswer.Extended(Duration.ofMillis(left));
        }
        return new RenewalAnswer.Gone(
                left == -3 ? LossReason.FORCED : left == -2 ? LossReason.REPLACED : LossReason.EXPIRED);
    }
}
