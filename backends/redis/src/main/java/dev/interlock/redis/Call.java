package dev.interlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;

/** One script with its keys and arguments; may be sent more than once. */
final class Call {
    private final Script script;
    private final String[] words;
    private final int keys;
    private int filledKeys;
    private int filledArgs;

    /** Room for exactly so many keys and arguments. */
    Call(Script script, int keys, int args) {
        this.script = script;
        this.keys = keys;
        this.words = new String[keys + args];
    }

    Call key(String key) {
        words[filledKeys++] = key;
        return this;
    }

    Call arg(String arg) {
        words[keys + filledArgs++] = arg;
        return this;
    }

    Call arg(long arg) {
        return arg(Long.toString(arg));
    }

    /** By its digest, which the server knows unless it was told to forget. */
    AsyncCommand<String, String, Object> byDigest() {
        return command(CommandType.EVALSHA, script.digest());
    }

    /** By the digest of a call that is decided by the connection's thread, which writes it at once. */
    static AsyncCommand<String, String, Object> byDigest(Supplier<Call> late) {
        return new AsyncCommand<>(new Command<>(CommandType.EVALSHA, new Reply(), new CommandArgs<>(StringCodec.UTF8)) {
            @Override
            public void encode(ByteBuf buffer) {
                Call call = late.get();
                new Command<>(CommandType.EVALSHA, new Reply(), call.arguments(call.script.digest())).encode(buffer);
            }
        });
    }

    /** With its whole text; the server knows it from then on. */
    AsyncCommand<String, String, Object> byText() {
        return command(CommandType.EVAL, script.text());
    }

    // An AsyncCommand, and not a bare Command: only a command that Lettuce can complete lets go of its time-out.
    private AsyncCommand<String, String, Object> command(CommandType type, String name) {
        return new AsyncCommand<>(new Command<>(type, new Reply(), arguments(name)));
    }

    private CommandArgs<String, String> arguments(String name) {
        if (filledKeys != keys || filledKeys + filledArgs != words.length) {
            throw new IllegalStateException(script + " is called with " + filledKeys + " keys and " + filledArgs
                    + " arguments instead of " + keys + " and " + (words.length - keys));
        }
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        args.add(name).add(keys);
        for (String word : words) {
            args.add(word);
        }
        return args;
    }
}
