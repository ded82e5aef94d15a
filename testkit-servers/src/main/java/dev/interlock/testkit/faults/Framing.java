package dev.interlock.testkit.faults;

/**
 * Splits the byte streams of a protocol into messages, and classifies them as requests, replies and pushes.
 *
 * <p>A proxy passes on whole messages only, each of them unchanged. Implementations are stateless; the state of a
 * stream is in its {@link Splitter}, which one thread uses.
 *
 * @since 0.1.0
 */
public interface Framing {
    /** Returns a splitter for one direction of a new connection. */
    Splitter splitter(Direction direction);

    /**
     * Whether the n-th reply answers the n-th request. If not, the next message from the server counts as the reply to
     * a request.
     */
    default boolean pairsReplies() {
        return true;
    }

    /**
     * Whether a request prepares its connection, as a login does. A replayed request is sent on a connection of its
     * own, after the requests that prepared the original one.
     */
    default boolean opens(byte[] request) {
        return false;
    }

    /** Treats every read as a message, for HTTP/2 and other protocols without a framing here. Knows no pushes. */
    static Framing raw() {
        return RawFraming.INSTANCE;
    }

    /** Redis: RESP2 and RESP3, including inline commands. Messages of subscriptions are pushes. */
    static Framing resp() {
        return RespFraming.INSTANCE;
    }

    /** PostgreSQL. A request ends with Sync or Query, its reply with ReadyForQuery. TLS is passed on unchanged. */
    static Framing postgres() {
        return PostgresFraming.INSTANCE;
    }

    /** MySQL and MariaDB without compression. TLS is passed on unchanged. */
    static Framing mysql() {
        return MysqlFraming.INSTANCE;
    }

    /** ZooKeeper. Watch events are pushes. */
    static Framing zookeeper() {
        return ZookeeperFraming.INSTANCE;
    }

    /** Splits the bytes of one direction of one connection; not thread-safe. */
    interface Splitter {
        /**
         * The length of the message that starts at {@code from}, or 0 if it is not complete yet. For bytes that violate
         * the protocol it returns all of them, {@code to - from}, so that they pass.
         *
         * @param from the first byte, less than {@code to}
         * @param to after the last byte that has arrived
         */
        int length(byte[] bytes, int from, int to);

        /** Classifies a message. Called once per message, in order. */
        default Part part(byte[] message) {
            return Part.FIRST;
        }
    }

    /** The part of a message in its conversation. */
    enum Part {
        /** The first, and often only, message of a request or a reply. */
        FIRST,
        /** A further message of the same request or reply. */
        MORE,
        /** Neither: a push from the server, or a request without a reply. */
        ASIDE
    }
}
