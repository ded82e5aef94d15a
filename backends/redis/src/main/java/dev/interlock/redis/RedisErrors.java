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

/** Maps an error of Redis or its driver to what it means for a call: not carried out, unknown, or refused for good. */
final class RedisErrors {
    /** The server rejects the call for now, and the call had no effect. */
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

    /** The prefix of errors that our own scripts raise. */
    private static final String SCRIPT_ERROR = "INTERLOCK ";

    /** How Redis 6.2 reports the error of a command inside a script. */
    private static final Pattern WRAPPED = Pattern.compile("^ERR Error running script .*: -([A-Z]+) ");

    private RedisErrors() {}

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

    /** Whether the server is no longer the primary, so that its connection must be replaced. */
    static boolean isDemoted(Throwable error) {
        String code = code(error);
        return code.equals("READONLY") || code.equals("LOADING") || code.equals("MASTERDOWN");
    }

    /** The failure of a call that was sent. */
    static StoreException afterSending(String server, Throwable error) {
        Throwable cause = cause(error);
        if (cause instanceof StoreException known) {
            return known;
        }
        if (!(cause instanceof RedisCommandExecutionException)) {
            return StoreException.unknown(server + " was lost before it replied: " + cause, cause);
        }
        String message = String.valueOf(cause.getMessage());
        if (NOT_NOW.contains(code(cause))) {
            return StoreException.notNow(server + " rejects calls for now: " + message, cause);
        }
        String own = scriptError(cause);
        return StoreException.refused(server + " refuses: " + (own == null ? message + hint(code(cause)) : own));
    }

    /** The message that our own script raised, without what the server adds to it; null for any other error. */
    private static @Nullable String scriptError(Throwable error) {
        String message = String.valueOf(error.getMessage());
        int start = message.indexOf(SCRIPT_ERROR);
        int end = message.indexOf(" script: ", start);
        if (start < 0) {
            return null;
        }
        String own = message.substring(start + SCRIPT_ERROR.length(), end < 0 ? message.length() : end);
        boolean denied = own.contains("user executing") || own.contains("NOPERM") || own.contains("ACL failure");
        return own + hint(denied ? "NOPERM" : own.contains("WRONGTYPE") ? "WRONGTYPE" : "");
    }

    /** The failure of a connection that could not be made. */
    static StoreException whileConnecting(String server, Throwable error) {
        Throwable cause = cause(error);
        if (cause instanceof StoreException known) {
            return known;
        }
        Throwable root = root(cause);
        String code = code(root);
        if (code.equals("WRONGPASS") || code.equals("NOAUTH") || code.equals("NOPERM")) {
            return StoreException.refused(server + " refuses the login: " + root.getMessage() + hint(code));
        }
        String own = scriptError(root);
        if (own != null) {
            return StoreException.refused(server + " refuses: " + own);
        }
        return StoreException.notSent("Could not connect to " + server + ": " + root, cause);
    }

    /**
     * Whether the connection ended during the handshake. Then a second try may succeed, unlike with a server that is
     * silent or unreachable.
     */
    static boolean isCut(StoreException failure) {
        Throwable root = root(failure);
        return failure.kind() == StoreException.Kind.NOT_SENT
                && root != failure
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
            case "NOPERM" -> ". Grant this user the permissions listed under \"Minimal ACL\" in docs/backends/redis.md";
            case "NOAUTH", "WRONGPASS" -> ". Check user and password in the URI";
            case "WRONGTYPE" ->
                ". A key of this lock holds a value of another type: remove it, or choose another namespace";
            default -> "";
        };
    }
}
