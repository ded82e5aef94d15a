package dev.interlock.internal.runtime;

import dev.interlock.spi.Environment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The due times of the engine: deadlines of leases and waits, renewals, heartbeats.
 *
 * <p>An indexed binary heap: setting, moving and cancelling an entry is O(log n) and leaves no garbage. A new lease
 * is usually due later than all others, which is O(1).
 *
 * <p>Thread-safe. Entries ring on the alarm's thread, outside the lock, one after another; they must not block.
 */
public final class Timetable implements Environment.Alarm {
    /** An entry with a due time. It belongs to one timetable. */
    public abstract static class Entry {
        private long dueNanos;
        private int slot = -1;

        /** Called when the entry is due. It is no longer in the table and may be set again. */
        protected abstract void ring(long nowNanos);
    }

    private final ReentrantLock mutex = new ReentrantLock();
    private final Runnable afterEach;
    private Entry[] heap = new Entry[64];
    private int size;

    /** When the alarm rings next. An entry that is due earlier must wake it. */
    private long nextRing = Long.MAX_VALUE;

    private @Nullable Runnable wakeUp;

    /**
     * @param afterEach runs after each round of due entries, for example to send a batch
     */
    public Timetable(Runnable afterEach) {
        this.afterEach = afterEach;
    }

    @Override
    public void onEarlier(Runnable newWakeUp) {
        mutex.lock();
        try {
            wakeUp = newWakeUp;
        } finally {
            mutex.unlock();
        }
    }

    /** Sets or moves an entry. */
    public void set(Entry entry, long dueNanos) {
        Runnable wake = null;
        mutex.lock();
        try {
            entry.dueNanos = dueNanos;
            if (entry.slot < 0) {
                if (size == heap.length) {
                    heap = Arrays.copyOf(heap, size * 2);
                }
                entry.slot = size;
                heap[size++] = entry;
                up(entry.slot);
            } else {
                up(entry.slot);
                down(entry.slot);
            }
            if (dueNanos < nextRing) {
                nextRing = dueNanos;
                wake = wakeUp;
            }
        } finally {
            mutex.unlock();
        }
        if (wake != null) {
            wake.run();
        }
    }

    /** Removes an entry if it is in the table. */
    public void cancel(Entry entry) {
        mutex.lock();
        try {
            if (entry.slot >= 0) {
                remove(entry);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** All entries of the table, in no particular order. */
    public List<Entry> entries() {
        mutex.lock();
        try {
            return new ArrayList<>(Arrays.asList(heap).subList(0, size));
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public long ring(long nowNanos) {
        for (Entry due = poll(nowNanos); due != null; due = poll(nowNanos)) {
            due.ring(nowNanos);
        }
        afterEach.run();
        mutex.lock();
        try {
            nextRing = size == 0 ? Long.MAX_VALUE : heap[0].dueNanos;
            return nextRing;
        } finally {
            mutex.unlock();
        }
    }

    private @Nullable Entry poll(long nowNanos) {
        mutex.lock();
        try {
            if (size == 0 || heap[0].dueNanos > nowNanos) {
                return null;
            }
            Entry first = heap[0];
            remove(first);
            return first;
        } finally {
            mutex.unlock();
        }
    }

    @SuppressWarnings("NullAway") // slots from size on are null and never read
    private void remove(Entry entry) {
        int slot = entry.slot;
        entry.slot = -1;
        Entry last = heap[--size];
        heap[size] = null;
        if (last != entry) {
            heap[slot] = last;
            last.slot = slot;
            up(slot);
            down(last.slot);
        }
    }

    private void up(int from) {
        int slot = from;
        Entry entry = heap[slot];
        while (slot > 0) {
            int parent = (slot - 1) >>> 1;
            if (heap[parent].dueNanos <= entry.dueNanos) {
                break;
            }
            place(heap[parent], slot);
            slot = parent;
        }
        place(entry, slot);
    }

    private void down(int from) {
        int slot = from;
        Entry entry = heap[slot];
        while (true) {
            int child = 2 * slot + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && heap[child + 1].dueNanos < heap[child].dueNanos) {
                child++;
            }
            if (heap[child].dueNanos >= entry.dueNanos) {
                break;
            }
            place(heap[child], slot);
            slot = child;
        }
        place(entry, slot);
    }

    private void place(Entry entry, int slot) {
        heap[slot] = entry;
        entry.slot = slot;
    }
}
