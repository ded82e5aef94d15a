package dev.interlock.testkit.faults;

import java.nio.ByteBuffer;

/**
 * PostgreSQL, protocol 3: a type byte, then a length that includes itself.
 *
 * <p>There are two exceptions at the start: start-up messages of the client have no type, and the reply to a request
 * for encryption is a single byte. Both can be recognised: a start-up message begins with a zero byte, and before the
 * first authentication message a server sends no other message that begins with one of these bytes.
 */
enum PostgresFraming implements Framing {
    INSTANCE;

    private static final int TLS_HANDSHAKE = 0x16;
    private static final int LONGEST = 1 << 30;
    private static final int CANCEL = 80877102;
    private static final int GSS = 80877104;

    @Override
    public Splitter splitter(Direction direction) {
        return direction == Direction.TO_SERVER ? new ClientSplitter() : new ServerSplitter();
    }

    @Override
    public boolean opens(byte[] request) {
        return isStartup(request) && !isProbe(request);
    }

    private static boolean isStartup(byte[] request) {
        return request[0] == 0 && request.length >= 8;
    }

    /** A request for encryption or to cancel does not start a session. */
    private static boolean isProbe(byte[] request) {
        int code = ByteBuffer.wrap(request).getInt(4);
        return code >= CANCEL && code <= GSS;
    }

    /** The length of a message whose length field, which includes itself, comes after {@code before} bytes. */
    private static int lengthAfter(int before, byte[] bytes, int from, int to) {
        int available = to - from;
        if (available < before + 4) {
            return 0;
        }
        int length = ByteBuffer.wrap(bytes).getInt(from + before);
        if (length < 4 || length > LONGEST) {
            return available;
        }
        return before + length <= available ? before + length : 0;
    }

    private static final class ClientSplitter implements Splitter {
        private boolean started;
        private boolean opaque;
        private boolean fresh = true;

        @Override
        public int length(byte[] bytes, int from, int to) {
            opaque = opaque || (!started && bytes[from] == TLS_HANDSHAKE);
            if (opaque) {
                return to - from;
            }
            return lengthAfter(bytes[from] == 0 ? 0 : 1, bytes, from, to);
        }

        @Override
        public Part part(byte[] message) {
            Part part = fresh ? Part.FIRST : Part.MORE;
            started = started || (isStartup(message) && !isProbe(message));
            fresh = endsRequest(message);
            return part;
        }

        /** After any other message, the server does not reply yet. */
        private boolean endsRequest(byte[] message) {
            byte type = message[0];
            return opaque || type == 0 || type == 'Q' || type == 'S' || type == 'F' || type == 'p' || type == 'X';
        }
    }

    private static final class ServerSplitter implements Splitter {
        private static final int AUTHENTICATED = 0;
        private static final int SASL_FINAL = 12;

        private boolean started;
        private boolean opaque;
        private boolean fresh = true;

        @Override
        public int length(byte[] bytes, int from, int to) {
            if (opaque) {
                return to - from;
            }
            return isEncryptionAnswer(bytes[from]) ? 1 : lengthAfter(1, bytes, from, to);
        }

        @Override
        public Part part(byte[] message) {
            if (isEncryptionAnswer(message[0])) {
                opaque = message[0] != 'N';
                return Part.FIRST;
            }
            started = true;
            if (isPush(message[0])) {
                return Part.ASIDE;
            }
            Part part = fresh ? Part.FIRST : Part.MORE;
            fresh = opaque || message[0] == 'Z' || asksForPassword(message);
            return part;
        }

        private boolean isEncryptionAnswer(byte first) {
            return !started && !opaque && (first == 'S' || first == 'N' || first == 'G');
        }

        /** Notifications. Notices and changed settings are pushes only if no reply is in progress. */
        private boolean isPush(byte type) {
            return type == 'A' || (fresh && (type == 'N' || type == 'S'));
        }

        private static boolean asksForPassword(byte[] message) {
            if (message[0] != 'R' || message.length < 9) {
                return false;
            }
            int code = ByteBuffer.wrap(message).getInt(5);
            return code != AUTHENTICATED && code != SASL_FINAL;
        }
    }
}
