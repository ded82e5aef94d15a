package dev.interlock.redis;

import dev.interlock.spi.StoreException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import java.net.ConnectException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What an error of Redis or its driver says about a request: not carried out, maybe carried out, or refused for good. */
final class Failures {
    /** The server will not do this now, and has not done any of it. */
    private static final Set<String> NOT_NOW = Set.of(
            "READONLY",
            "LOADING",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "BUSY",
            "MISCONF",
            "NOREPLICAS",
            "OOM",
            "MOVED",
            "ASK");

    /** What the errors of our own scripts begin with. */
    private static final String OURS = "INTERLOCK ";

    /** How 6.2 tells what a command inside of a script answered. */
    private static final Pattern WRAPPED = Pattern.compile("^ERR Error running script .*: -([A-Z]+) ");

    private Failures() {}

    static Throwable cause(Throwable error) {
        Throwable cause = error;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The first word of an error reply, for example {@code NOSCRIPT}; empty if there was no reply. */
    static String code(Throwable error) {
        Throwable cause = cause(error);
        if (!(cause instanceof RedisCommandExecutionException)) {
            return "";
        }
        String message = String.valueOf(cause.getMessage());
        Matcher wrapped = WRAPPED.matcher(message);
        if (wrapped.find()) {
            return wrapped.group(1);
        }
        int blank = message.indexOf(' ');
        return blank < 0 ? message : message.substring(0, blank);
    }

    /** Whether the server does not lead any more, so that its connection is of no use. */
    static boolean isDemoted(Throwable error) {
        String code = code(error);
        return code.equals("READONLY") || code.equals("LOADING") || code.equals("MASTERDOWN");
    }

    /** For a call that was sent. */
    static StoreException afterSending(String server, Throwable error) {
        Throwable cause = cause(error);
        if (cause instanceof StoreException known) {
            return known;
        }
        if (!(cause instanceof RedisCommandExecutionException)) {
            return StoreException.unknown(server + " was lost before it answered: " + cause, cause);
        }
        String message = String.valueOf(cause.getMessage());
        if (NOT_NOW.contains(code(cause))) {
            return StoreException.notNow(server + " does not do this now: " + message, cause);
        }
        String said = said(cause);
        return StoreException.refused(server + " refuses: " + (said == null ? message + hint(code(cause)) : said));
    }

    /** What a script of ours says itself, without what the server writes around it. */
    private static @Nullable String said(Throwable error) {
        String message = String.valueOf(error.getMessage());
        int start = message.indexOf(OURS);
        int end = message.indexOf(" script: ", start);
        if (start < 0) {
            return null;
        }
        String said = message.substring(start + OURS.length(), end < 0 ? message.length() : end);
        boolean denied = said.contains("user executing") || said.contains("NOPERM") || said.contains("ACL failure");
        return said + hint(denied ? "NOPERM" : said.contains("WRONGTYPE") ? "WRONGTYPE" : "");
    }

    /** For a connection that did not come about. */
    static StoreException connecting(String server, Throwable error) {
        Throwable cause = cause(error);
        if (cause instanceof StoreException known) {
            return known;
        }
        Throwable root = root(cause);
        String code = code(root);
        if (code.equals("WRONGPASS") || code.equals("NOAUTH") || code.equals("NOPERM")) {
            return StoreException.refused(server + " refuses the login: " + root.getMessage() + hint(code));
        }
        String said = said(root);
        if (said != null) {
            return StoreException.refused(server + " refuses: " + said);
        }
        return StoreException.notSent("Could not connect to " + server + ": " + root, cause);
    }

    /** Whether a connection ended while it was greeted: another one may be luckier, unlike with a server that is silent or not there. */
    static boolean isCut(StoreException connecting) {
        Throwable root = root(connecting);
        return connecting.kind() == StoreException.Kind.NOT_SENT
                && root != connecting
                && !(root instanceof ConnectException
                        || root instanceof TimeoutException
                        || root instanceof RedisCommandTimeoutException);
    }

    private static Throwable root(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root;
    }

    private static String hint(String code) {
        return switch (code) {
            case "NOPERM" -> ". Give this user the rights listed under \"Minimal ACL\" in docs/backends/redis.md";
            case "NOAUTH", "WRONGPASS" -> ". Check user and password in the URI";
            case "WRONGTYPE" -> ". A key of this lock holds something else: remove it, or choose another namespace";
            default -> "";
        };
    }
}
