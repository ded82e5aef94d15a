package dev.interlock.testkit.faults;

import java.nio.ByteBuffer;

/**
 * ZooKeeper: a four-byte length, then that many bytes. The first message is the handshake; the others begin with their
 * number.
 */
enum ZookeeperFraming implements Framing {
    INSTANCE;

    private static final int LONGEST = 64 << 20;
    private static final int WATCH_EVENT = -1;

    @Override
    public Splitter splitter(Direction direction) {
        return new LengthSplitter(direction);
    }

    private static final class LengthSplitter implements Splitter {
        private final Direction direction;
        private boolean handshakeDone;
        private boolean opaque;

        LengthSplitter(Direction direction) {
            this.direction = direction;
        }

        @Override
        public int length(byte[] bytes, int from, int to) {
            int available = to - from;
            if (!opaque && available >= 4) {
                int length = ByteBuffer.wrap(bytes).getInt(from);
                // Four-letter words and TLS look like a length that is never sent.
                opaque = length < 0 || length > LONGEST;
                if (!opaque) {
                    return 4 + length <= available ? 4 + length : 0;
                }
            }
            return opaque ? available : 0;
        }

        @Override
        public Part part(byte[] message) {
            boolean event = handshakeDone
                    && !opaque
                    && direction == Direction.TO_CLIENT
                    && message.length >= 8
                    && ByteBuffer.wrap(message).getInt(4) == WATCH_EVENT;
            handshakeDone = true;
            return event ? Part.ASIDE : Part.FIRST;
        }
    }
}
