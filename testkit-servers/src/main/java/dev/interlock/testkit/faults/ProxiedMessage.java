package dev.interlock.testkit.faults;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** One message in a flow, or the end of the flow. Used only by the proxy's thread. */
final class ProxiedMessage {
    /** How a flow ends, for a message that is its end. */
    enum Ending {
        NOT_YET,
        FIN,
        RST
    }

    private final byte[] bytes;
    private final Framing.Part part;
    private final long unit;
    private final Ending ending;
    private final ByteBuffer rest;
    private final List<Fault> gates = new ArrayList<>(0);
    private long delayNanos;
    private long dueNanos;

    private ProxiedMessage(byte[] bytes, Framing.Part part, long unit, Ending ending) {
        this.bytes = bytes;
        this.part = part;
        this.unit = unit;
        this.ending = ending;
        this.rest = ByteBuffer.wrap(bytes);
    }

    /** The unit is the number of the request or reply that the message belongs to, from 1 in each flow. */
    static ProxiedMessage of(byte[] bytes, Framing.Part part, long unit) {
        return new ProxiedMessage(bytes, part, unit, Ending.NOT_YET);
    }

    static ProxiedMessage end(Ending ending) {
        return new ProxiedMessage(new byte[0], Framing.Part.ASIDE, 0, ending);
    }

    byte[] bytes() {
        return bytes;
    }

    Framing.Part part() {
        return part;
    }

    long unit() {
        return unit;
    }

    Ending ending() {
        return ending;
    }

    boolean isEnd() {
        return ending != Ending.NOT_YET;
    }

    /** The bytes that were not written yet. */
    ByteBuffer rest() {
        return rest;
    }

    /** Holds the message, and everything behind it, until the fault is healed. */
    void waitFor(Fault fault) {
        gates.add(fault);
    }

    boolean isHeld() {
        return !gates.stream().allMatch(Fault::isHealed);
    }

    void delayBy(long nanos) {
        delayNanos += nanos;
    }

    long delayNanos() {
        return delayNanos;
    }

    void dueAt(long nanos) {
        dueNanos = nanos;
    }

    /** By {@link System#nanoTime()}; defined only for a message that {@link #isTimed()}. */
    long dueNanos() {
        return dueNanos;
    }

    boolean isTimed() {
        return delayNanos > 0;
    }
}
