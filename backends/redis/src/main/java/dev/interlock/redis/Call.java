package dev.interlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;

/** One script with its keys and arguments; may be sent more than once. */
final class Call {
    final Script script;
    private final List<String> keys;
    private final List<String> args;

    Call(Script script, int expectedKeys, int expectedArgs) {
        this.script = script;
        this.keys = new ArrayList<>(expectedKeys);
        this.args = new ArrayList<>(expectedArgs);
    }

    Call key(String key) {
        keys.add(key);
        return this;
    }

    Call arg(String arg) {
        args.add(arg);
        return this;
    }

    Call arg(long arg) {
        args.add(Long.toString(arg));
        return this;
    }

    Call arg(boolean arg) {
        args.add(arg ? "1" : "0");
        return this;
    }

    /** By its digest, which the server knows unless it was told to forget. */
    AsyncCommand<String, String, Object> byDigest() {
        return command(CommandType.EVALSHA, script.digest());
    }

    /** With its whole text; the server knows it from then on. */
    AsyncCommand<String, String, Object> byText() {
        return command(CommandType.EVAL, script.text());
    }

    // An AsyncCommand, and not a bare Command: only a command that Lettuce can complete lets go of its time-out.
    private AsyncCommand<String, String, Object> command(CommandType type, String name) {
        CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8);
        all.add(name).add(keys.size());
        for (String key : keys) {
            all.addKey(key);
        }
        for (String arg : args) {
            all.add(arg);
        }
        return new AsyncCommand<>(new Command<>(type, new Reply(), all));
    }
}
