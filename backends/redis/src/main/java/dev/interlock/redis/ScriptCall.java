package dev.interlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;

/** One script with its keys and arguments. It can be sent more than once. */
final class ScriptCall {
    private final Script script;
    private final String[] words;
    private final int keys;
    private int filledKeys;
    private int filledArgs;

    /** A call with exactly this many keys and arguments. */
    ScriptCall(Script script, int keys, int args) {
        this.script = script;
        this.keys = keys;
        this.words = new String[keys + args];
    }

    ScriptCall key(String key) {
        words[filledKeys++] = key;
        return this;
    }

    ScriptCall arg(String arg) {
        words[keys + filledArgs++] = arg;
        return this;
    }

    ScriptCall arg(long arg) {
        return arg(Long.toString(arg));
    }

    /** Calls the script by its digest, which the server knows unless its script cache was flushed. */
    AsyncCommand<String, String, Object> byDigest() {
        return command(CommandType.EVALSHA, script.digest());
    }

    /** The same for a call that the connection's thread asks for when it encodes the command. */
    static AsyncCommand<String, String, Object> byDigest(Supplier<ScriptCall> deferred) {
        return new AsyncCommand<>(
                new Command<>(CommandType.EVALSHA, new RedisReply(), new CommandArgs<>(StringCodec.UTF8)) {
                    @Override
                    public void encode(ByteBuf buffer) {
                        ScriptCall call = deferred.get();
                        new Command<>(CommandType.EVALSHA, new RedisReply(), call.arguments(call.script.digest()))
                                .encode(buffer);
                    }
                });
    }

    /** Calls the script with its text. From then on the server knows the digest. */
    AsyncCommand<String, String, Object> byText() {
        return command(CommandType.EVAL, script.text());
    }

    // An AsyncCommand and not a plain Command: Lettuce cancels the timeout only of a command that it can complete.
    private AsyncCommand<String, String, Object> command(CommandType type, String name) {
        return new AsyncCommand<>(new Command<>(type, new RedisReply(), arguments(name)));
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
