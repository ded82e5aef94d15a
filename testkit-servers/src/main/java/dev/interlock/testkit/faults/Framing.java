package dev.interlock.testkit.faults;

/**
 * How the byte streams of a protocol split into messages, and which messages are requests, replies and pushes.
 *
 * <p>A proxy hands on whole messages only, each of them unchanged. Implementations hold no state themselves; what a stream
 * needs to remember is in its {@link Splitter}, which one thread uses.
 */
public interface Framing {
    /** A splitter for one direction of one new connection. */
    Splitter splitter(Direction direction);

    /**
     * Whether the n-th request is answered by the n-th reply. Where it is not, what the server sends next after a request
     * counts as its reply.
     */
    default boolean pairsReplies() {
        return true;
    }

    /**
     * Whether a request prepares its connection, as a login does. A replayed request is sent on a connection of its own, after
     * the requests that prepared the original one.
     */
    default boolean opens(byte[] request) {
        return false;
    }

    /** Every read is a message; for HTTP/2 and whatever has no framing here. Knows no pushes. */
    static Framing raw() {
        return RawFraming.INSTANCE;
    }

    /** Redis: RESP2 and RESP3, inline commands too. Messages of subscriptions are pushes. */
    static Framing resp() {
        return RespFraming.INSTANCE;
    }

    /** PostgreSQL. A request ends with Sync or Query, its reply with ReadyForQuery; TLS is passed on as it is. */
    static Framing postgres() {
        return PostgresFraming.INSTANCE;
    }

    /** MySQL and MariaDB without compression; TLS is passed on as it is. */
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
         * The length of the message that starts at {@code from}, or 0 if its end is not there yet. Bytes that do not follow the
         * protocol are answered with all there are, {@code to - from}, so that they pass.
         *
         * @param from the first byte, less than {@code to}
         * @param to after the last byte that has arrived
         */
        int length(byte[] bytes, int from, int to);

        /** The part that a message plays; asked once for each message, in their order. */
        default Part part(byte[] message) {
            return Part.FIRST;
        }
    }

    /** The part that a message plays in its conversation. */
    enum Part {
        /** The first message of a request or of a reply; often the only one. */
        FIRST,
        /** A further message of the same request or reply. */
        MORE,
        /** Neither: a push from the server, or a request that gets no reply of its own. */
        ASIDE
    }
}
