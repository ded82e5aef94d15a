package dev.interlock.testkit.workers;

import dev.interlock.spi.LockStore;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The asynchronous methods of {@link LockStore} as messages. Both ends number them by name. */
final class StoreCall {
    /** The kinds of frames a server sends. */
    static final int ANSWER = 0;

    static final int REFUSAL = 1;
    static final int FAILURE = 2;
    static final int PUSH = 3;

    private static final List<Method> METHODS = Arrays.stream(LockStore.class.getMethods())
            .filter(method -> method.getReturnType() == CompletionStage.class)
            .sorted(Comparator.comparing(Method::getName))
            .toList();

    private StoreCall() {}

    static int numberOf(Method method) {
        return METHODS.indexOf(method);
    }

    static Method method(int number) {
        return METHODS.get(number);
    }

    static void writeArguments(DataOutput out, Method method, Object[] arguments) throws IOException {
        Type[] types = method.getGenericParameterTypes();
        for (int i = 0; i < types.length; i++) {
            RecordCodec.write(out, types[i], arguments[i]);
        }
    }

    static Object[] readArguments(DataInput in, Method method) throws IOException {
        Type[] types = method.getGenericParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = RecordCodec.read(in, types[i]);
        }
        return arguments;
    }

    static void writeAnswer(DataOutput out, Method method, Object answer) throws IOException {
        RecordCodec.write(out, answerType(method), answer);
    }

    static Object readAnswer(DataInputStream in, Method method) throws IOException {
        return RecordCodec.read(in, answerType(method));
    }

    private static Type answerType(Method method) {
        return ((ParameterizedType) method.getGenericReturnType()).getActualTypeArguments()[0];
    }
}
