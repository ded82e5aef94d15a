package dev.interlock.testkit.faults;

/**
 * MySQL and MariaDB: packets with a three-byte length, a sequence number, and that many bytes.
 *
 * <p>A packet of full length is continued by the next one, so both are one message. Sequence numbers show where a
 * request or a reply starts: they count from the request through its reply, and the next request begins at 0. They wrap
 * after 255, so a reply whose last packet has the number 0 hides the start of the next; the protocol has no other mark.
 */
enum MysqlFraming implements Framing {
    INSTANCE;

    private static final int HEADER = 4;
    private static final int FULL = 0xffffff;
    private static final int TLS_HANDSHAKE = 0x16;
    private static final int QUIT = 0x01;
    private static final int SEND_LONG_DATA = 0x18;
    private static final int CLOSE_STATEMENT = 0x19;

    @Override
    public Splitter splitter(Direction direction) {
        return new PacketSplitter(direction);
    }

    private static final class PacketSplitter implements Splitter {
        private final Direction direction;
        private int messages;
        private int lastSequence;
        private boolean opaque;

        PacketSplitter(Direction direction) {
            this.direction = direction;
        }

        @Override
        public int length(byte[] bytes, int from, int to) {
            opaque = opaque || startsTls(bytes, from, to);
            if (opaque) {
                return to - from;
            }
            for (int at = from; at + HEADER <= to; ) {
                int payload = payload(bytes, at);
                at += HEADER + payload;
                if (at > to) {
                    return 0;
                }
                if (payload < FULL) {
                    return at - from;
                }
            }
            return 0;
        }

        /**
         * Encryption starts after the first packet of each side. A second packet of 66 kB or more never occurs there.
         */
        private boolean startsTls(byte[] bytes, int from, int to) {
            return messages == 1
                    && to - from >= 3
                    && bytes[from] == TLS_HANDSHAKE
                    && bytes[from + 1] == 3
                    && bytes[from + 2] >= 1
                    && bytes[from + 2] <= 4;
        }

        private static int payload(byte[] bytes, int at) {
            return (bytes[at] & 0xff) | ((bytes[at + 1] & 0xff) << 8) | ((bytes[at + 2] & 0xff) << 16);
        }

        @Override
        public Part part(byte[] message) {
            messages++;
            if (opaque || message.length < HEADER) {
                return Part.FIRST;
            }
            int sequence = message[3] & 0xff;
            Part part = direction == Direction.TO_SERVER ? partOfRequest(message, sequence) : partOfReply(sequence);
            lastSequence = sequence;
            return part;
        }

        private Part partOfRequest(byte[] message, int sequence) {
            if (messages == 1) {
                return Part.FIRST;
            }
            if (sequence != 0) {
                return Part.MORE;
            }
            return getsReply(message) ? Part.FIRST : Part.ASIDE;
        }

        private static boolean getsReply(byte[] message) {
            int command = message.length > HEADER ? message[HEADER] : 0;
            return command != QUIT && command != SEND_LONG_DATA && command != CLOSE_STATEMENT;
        }

        /** First the greeting, which is not a reply; then the reply to the login; then replies that start at 1. */
        private Part partOfReply(int sequence) {
            if (messages == 1) {
                return Part.ASIDE;
            }
            boolean wrapped = lastSequence == 0;
            return messages == 2 || (sequence == 1 && !wrapped) ? Part.FIRST : Part.MORE;
        }
    }
}
