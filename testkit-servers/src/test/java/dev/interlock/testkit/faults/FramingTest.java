package dev.interlock.testkit.faults;

import static dev.interlock.testkit.faults.Direction.TO_CLIENT;
import static dev.interlock.testkit.faults.Direction.TO_SERVER;
import static dev.interlock.testkit.faults.FramingProbe.join;
import static dev.interlock.testkit.faults.FramingProbe.split;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FramingTest {
    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    @Nested
    class Resp {
        private final Framing resp = Framing.resp();

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "+OK\r\n",
                    "-ERR no such thing\r\n",
                    ":42\r\n",
                    "$5\r\nhe\r\no\r\n",
                    "$0\r\n\r\n",
                    "$-1\r\n",
                    "*-1\r\n",
                    "*0\r\n",
                    "*2\r\n$1\r\na\r\n*2\r\n:1\r\n$-1\r\n",
                    "_\r\n",
                    "#t\r\n",
                    ",3.25\r\n",
                    "(3492890328409238509324850943850943825024385\r\n",
                    "!21\r\nSYNTAX invalid syntax\r\n",
                    "=15\r\ntxt:Some string\r\n",
                    "%2\r\n+first\r\n:1\r\n+second\r\n*1\r\n:2\r\n",
                    "~2\r\n+a\r\n#f\r\n",
                    "|1\r\n+ttl\r\n:3600\r\n$2\r\nhi\r\n",
                    "$?\r\n;4\r\nHell\r\n;1\r\no\r\n;0\r\n",
                    "*?\r\n:1\r\n%?\r\n+a\r\n+b\r\n.\r\n.\r\n",
                })
        void everyTypeOfReplyIsOneMessage(String reply) {
            assertThat(split(resp, TO_CLIENT, bytes(reply + "+END\r\n" + reply)))
                    .containsExactly(reply, "+END\r\n", reply);
        }

        @Test
        void pipelinedRequestsAreSeparate() {
            String one = text(TinyClient.command("SET a 1"));
            String two = text(TinyClient.command("EVALSHA abc 1 key"));
            assertThat(split(resp, TO_SERVER, bytes(one + two + "PING\r\n" + one)))
                    .containsExactly(one, two, "PING\r\n", one);
        }

        @Test
        void pushesAreAsideInBothVersions() {
            String third = ">3\r\n+message\r\n+channel\r\n+hello\r\n";
            String second = "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$5\r\nhello\r\n";
            String list = "*3\r\n$7\r\nmassage\r\n$1\r\nc\r\n$5\r\nhello\r\n";
            assertThat(split(resp, TO_CLIENT, bytes(third + ":1\r\n" + second + list)))
                    .containsExactly("!" + third, ":1\r\n", "!" + second, list);
        }

        @Test
        void subscribingHasNoReplyOfItsOwn() {
            String subscribe = text(TinyClient.command("SUBSCRIBE a b"));
            assertThat(split(resp, TO_SERVER, bytes(subscribe))).containsExactly("!" + subscribe);
        }

        @Test
        void encryptedBytesPassAsTheyCome() {
            byte[] tls = {0x16, 3, 1, 2, 0, '\r', '\n', '*', '1', '\r', '\n', 1};
            assertThat(String.join("", splitAtOnce(resp, TO_SERVER, tls))).isEqualTo(text(tls));
        }

        @Test
        void loginAndDatabasePrepareAConnection() {
            assertThat(List.of("AUTH secret", "HELLO 3", "select 5", "GET auth"))
                    .filteredOn(command -> resp.opens(TinyClient.command(command)))
                    .containsExactly("AUTH secret", "HELLO 3", "select 5");
        }
    }

    @Nested
    class Postgres {
        private final Framing postgres = Framing.postgres();
        private final byte[] startup = startup(196608, "user\0me\0\0");

        @Test
        void requestEndsWithSyncOrQuery() {
            byte[] stream = join(
                    startup(80877103, ""), startup, pg('P', "insert"), pg('B', ""), pg('S', ""), pg('Q', "select"));
            assertThat(split(postgres, TO_SERVER, stream))
                    .containsExactly(
                            text(startup(80877103, "")),
                            text(startup),
                            text(pg('P', "insert")),
                            "+" + text(pg('B', "")),
                            "+" + text(pg('S', "")),
                            text(pg('Q', "select")));
        }

        @Test
        void replyEndsWithReadyForQuery() {
            byte[] stream = join(
                    bytes("N"),
                    pg('R', "\0\0\0\0"),
                    pg('S', "TimeZone"),
                    pg('Z', "I"),
                    pg('A', "notify"),
                    pg('C', "INSERT"),
                    pg('A', "notify"),
                    pg('Z', "I"),
                    pg('C', "SELECT"));
            assertThat(split(postgres, TO_CLIENT, stream))
                    .containsExactly(
                            "N",
                            text(pg('R', "\0\0\0\0")),
                            "+" + text(pg('S', "TimeZone")),
                            "+" + text(pg('Z', "I")),
                            "!" + text(pg('A', "notify")),
                            text(pg('C', "INSERT")),
                            "!" + text(pg('A', "notify")),
                            "+" + text(pg('Z', "I")),
                            text(pg('C', "SELECT")));
        }

        @Test
        void eachStepOfALoginIsARequestWithAReply() {
            byte[] asked = pg('R', "\0\0\0\12SCRAM\0");
            byte[] goOn = pg('R', "\0\0\0\13data");
            byte[] last = pg('R', "\0\0\0\14data");
            assertThat(split(postgres, TO_CLIENT, join(asked, goOn, last, pg('R', "\0\0\0\0"))))
                    .containsExactly(text(asked), text(goOn), text(last), "+" + text(pg('R', "\0\0\0\0")));
            assertThat(split(postgres, TO_SERVER, join(startup, pg('p', "SCRAM"), pg('p', "proof"))))
                    .containsExactly(text(startup), text(pg('p', "SCRAM")), text(pg('p', "proof")));
        }

        @Test
        void encryptedBytesPassAsTheyCome() {
            byte[] tls = {0x16, 3, 1, 0, 9, 0, 0, 0, 4, 'Q', 0, 0, 0, 99};
            assertThat(String.join("", splitAtOnce(postgres, TO_SERVER, join(startup(80877103, ""), tls))))
                    .isEqualTo(text(join(startup(80877103, ""), tls)));
            assertThat(String.join("", splitAtOnce(postgres, TO_CLIENT, join(bytes("S"), tls))))
                    .isEqualTo(text(join(bytes("S"), tls)));
        }

        @Test
        void onlyTheStartOfASessionPreparesAConnection() {
            assertThat(postgres.opens(startup)).isTrue();
            assertThat(postgres.opens(startup(80877103, ""))).isFalse();
            assertThat(postgres.opens(pg('Q', "select"))).isFalse();
        }

        private static byte[] pg(char type, String body) {
            return ByteBuffer.allocate(5 + body.length())
                    .put((byte) type)
                    .putInt(4 + body.length())
                    .put(bytes(body))
                    .array();
        }

        private static byte[] startup(int code, String body) {
            return ByteBuffer.allocate(8 + body.length())
                    .putInt(8 + body.length())
                    .putInt(code)
                    .put(bytes(body))
                    .array();
        }
    }

    @Nested
    class Mysql {
        private final Framing mysql = Framing.mysql();

        @Test
        void sequenceNumbersShowWhereRequestsAndRepliesStart() {
            byte[] requests =
                    join(packet(1, "login"), packet(3, "more"), packet(0, "\3select 1"), packet(0, "\31stmt"));
            assertThat(split(mysql, TO_SERVER, requests))
                    .containsExactly(
                            text(packet(1, "login")),
                            "+" + text(packet(3, "more")),
                            text(packet(0, "\3select 1")),
                            "!" + text(packet(0, "\31stmt")));
            byte[] replies = join(
                    packet(0, "greeting"), packet(2, "ok"), packet(1, "columns"), packet(2, "row"), packet(1, "ok"));
            assertThat(split(mysql, TO_CLIENT, replies))
                    .containsExactly(
                            "!" + text(packet(0, "greeting")),
                            text(packet(2, "ok")),
                            text(packet(1, "columns")),
                            "+" + text(packet(2, "row")),
                            text(packet(1, "ok")));
        }

        @Test
        void longReplyWhoseNumbersWrapIsOneReply() {
            byte[] stream = join(packet(0, "greeting"), packet(2, "ok"));
            for (int sequence = 1; sequence <= 300; sequence++) {
                stream = join(stream, packet(sequence & 0xff, "row"));
            }
            assertThat(split(mysql, TO_CLIENT, stream))
                    .hasSize(302)
                    .filteredOn(message -> !message.startsWith("+") && !message.startsWith("!"))
                    .hasSize(2);
        }

        @Test
        void packetsOfFullLengthAreContinued() {
            byte[] full = packet(0, "x".repeat(0xffffff));
            byte[] rest = packet(1, "end");
            Framing.Splitter splitter = mysql.splitter(TO_SERVER);
            byte[] stream = join(full, rest, packet(0, "next"));
            assertThat(splitter.length(stream, 0, full.length)).isZero();
            assertThat(splitter.length(stream, 0, stream.length)).isEqualTo(full.length + rest.length);
        }

        @Test
        void encryptedBytesPassAsTheyCome() {
            byte[] tls = {0x16, 3, 1, 0, 4, 1, 2, 3, 4, 0x17, 3, 3, 0, 1, 9};
            byte[] stream = join(packet(1, "ssl please"), tls);
            assertThat(String.join("", splitAtOnce(mysql, TO_SERVER, stream))).isEqualTo(text(stream));
        }

        private static byte[] packet(int sequence, String body) {
            byte[] packet = new byte[4 + body.length()];
            packet[0] = (byte) body.length();
            packet[1] = (byte) (body.length() >> 8);
            packet[2] = (byte) (body.length() >> 16);
            packet[3] = (byte) sequence;
            System.arraycopy(bytes(body), 0, packet, 4, body.length());
            return packet;
        }
    }

    @Nested
    class Zookeeper {
        private final Framing zookeeper = Framing.zookeeper();

        @Test
        void watchEventsAreAside() {
            byte[] stream = join(frame(0, "handshake"), frame(1, "reply"), frame(-1, "event"), frame(-2, "pong"));
            assertThat(split(zookeeper, TO_CLIENT, stream))
                    .containsExactly(
                            text(frame(0, "handshake")),
                            text(frame(1, "reply")),
                            "!" + text(frame(-1, "event")),
                            text(frame(-2, "pong")));
        }

        @Test
        void fourLetterWordsPassAsTheyCome() {
            assertThat(splitAtOnce(zookeeper, TO_SERVER, bytes("ruok"))).containsExactly("ruok");
        }

        private static byte[] frame(int number, String body) {
            return ByteBuffer.allocate(8 + body.length())
                    .putInt(4 + body.length())
                    .putInt(number)
                    .put(bytes(body))
                    .array();
        }
    }

    /** In one read: without framing, the messages depend on the reads. */
    private static List<String> splitAtOnce(Framing framing, Direction direction, byte[] stream) {
        Framing.Splitter splitter = framing.splitter(direction);
        Assembly assembly = new Assembly(splitter);
        List<String> messages = new ArrayList<>();
        assembly.add(Arrays.copyOf(stream, stream.length), message -> {
            splitter.part(message);
            messages.add(text(message));
        });
        return messages;
    }
}
