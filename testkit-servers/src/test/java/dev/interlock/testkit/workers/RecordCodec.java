package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes and reads the values of the SPI by their declared types: records, sealed interfaces of records, enums, lists,
 * optionals, and the few classes at the leaves. Only the declared type decides how bytes are read, so they cannot
 * create anything else.
 */
final class RecordCodec {
    private static final int MAX_ENTRIES = 1 << 20;
    private static final Map<Class<?>, Shape> SHAPES = new ConcurrentHashMap<>();

    private RecordCodec() {}

    static void write(DataOutput out, Type type, Object value) throws IOException {
        if (type instanceof ParameterizedType generic) {
            writeAll(out, generic.getActualTypeArguments()[0], entries(value));
        } else if (value instanceof String text) {
            writeText(out, text);
        } else if (value instanceof LockKey key) {
            out.writeUTF(key.name());
        } else if (value instanceof Long number) {
            out.writeLong(number);
        } else if (value instanceof Integer number) {
            out.writeInt(number);
        } else if (value instanceof Boolean answer) {
            out.writeBoolean(answer);
        } else if (value instanceof Duration length) {
            out.writeLong(length.getSeconds());
            out.writeInt(length.getNano());
        } else if (value instanceof Instant moment) {
            out.writeLong(moment.getEpochSecond());
            out.writeInt(moment.getNano());
        } else if (value instanceof Enum<?> constant) {
            out.writeUTF(constant.name());
        } else {
            writeRecord(out, (Class<?>) type, value);
        }
    }

    /** Of any length, unlike {@link DataOutput#writeUTF}: a wait report may have sixty thousand characters. */
    private static void writeText(DataOutput out, String text) throws IOException {
        out.writeInt(text.length());
        out.writeChars(text);
    }

    private static String readText(DataInput in) throws IOException {
        int length = size(in);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(in.readChar());
        }
        return text.toString();
    }

    private static void writeAll(DataOutput out, Type type, List<?> entries) throws IOException {
        out.writeInt(entries.size());
        for (Object entry : entries) {
            write(out, type, entry);
        }
    }

    private static List<?> entries(Object value) {
        return value instanceof Optional<?> optional ? optional.stream().toList() : (List<?>) value;
    }

    private static void writeRecord(DataOutput out, Class<?> type, Object value) throws IOException {
        if (type.isSealed()) {
            out.writeInt(Arrays.asList(type.getPermittedSubclasses()).indexOf(value.getClass()));
        }
        for (RecordComponent component : shape(value.getClass()).components) {
            try {
                write(out, component.getGenericType(), component.getAccessor().invoke(value));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("Could not read " + component, e);
            }
        }
    }

    static Object read(DataInput in, Type type) throws IOException {
        if (type instanceof ParameterizedType generic) {
            List<Object> entries = readAll(in, generic.getActualTypeArguments()[0]);
            return generic.getRawType() == Optional.class ? entries.stream().findFirst() : entries;
        }
        Class<?> plain = (Class<?>) type;
        if (plain == String.class) {
            return readText(in);
        } else if (plain == LockKey.class) {
            return LockKey.of(in.readUTF());
        } else if (plain == long.class) {
            return in.readLong();
        } else if (plain == int.class || plain == Integer.class) {
            return in.readInt();
        } else if (plain == boolean.class) {
            return in.readBoolean();
        } else if (plain == Duration.class) {
            return Duration.ofSeconds(in.readLong(), in.readInt());
        } else if (plain == Instant.class) {
            return Instant.ofEpochSecond(in.readLong(), in.readInt());
        } else if (plain.isEnum()) {
            return constant(plain, in.readUTF());
        }
        return readRecord(in, plain.isSealed() ? plain.getPermittedSubclasses()[in.readInt()] : plain);
    }

    private static Object constant(Class<?> type, String name) throws IOException {
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equals(name)) {
                return constant;
            }
        }
        throw new IOException(type.getSimpleName() + " has no " + name);
    }

    private static List<Object> readAll(DataInput in, Type type) throws IOException {
        int size = size(in);
        List<Object> entries = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            entries.add(read(in, type));
        }
        return entries;
    }

    private static int size(DataInput in) throws IOException {
        int size = in.readInt();
        if (size < 0 || size > MAX_ENTRIES) {
            throw new IOException("A size of " + size + " is not in any valid message");
        }
        return size;
    }

    private static Object readRecord(DataInput in, Class<?> type) throws IOException {
        Shape shape = shape(type);
        Object[] values = new Object[shape.components.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = read(in, shape.components[i].getGenericType());
        }
        try {
            return shape.constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IOException("Could not create a " + type.getSimpleName(), e);
        }
    }

    private static Shape shape(Class<?> type) {
        return SHAPES.computeIfAbsent(type, Shape::new);
    }

    /** The reflection of a record, looked up once. */
    private static final class Shape {
        private final RecordComponent[] components;
        private final Constructor<?> constructor;

        Shape(Class<?> type) {
            if (!type.isRecord()) {
                throw new IllegalArgumentException("No way to send a " + type.getName() + ": it is not a record");
            }
            components = type.getRecordComponents();
            Class<?>[] types =
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            try {
                constructor = type.getDeclaredConstructor(types);
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
