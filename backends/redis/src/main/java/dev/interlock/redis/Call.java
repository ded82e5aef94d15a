package dev.interlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

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

    /** With its whole text; the server knows it from then on. */
    AsyncCommand<String, String, Object> byText() {
        return command(CommandType.EVAL, script.text());
    }

    // An AsyncCommand, and not a bare Command: only a command that Lettuce can complete lets go of its time-out.
    private AsyncCommand<String, String, Object> command(CommandType type, String name) {
        if (filledKeys != keys || filledKeys + filledArgs != words.length) {
            throw new IllegalStateException(script + " is called with " + filledKeys + " keys and " + filledArgs
                    + " arguments instead of " + keys + " and " + (words.length - keys));
        }
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        args.add(name).add(keys);
        for (String word : words) {
            args.add(word);
        }
        return new AsyncCommand<>(new Command<>(type, new Reply(), args));
    }
}
