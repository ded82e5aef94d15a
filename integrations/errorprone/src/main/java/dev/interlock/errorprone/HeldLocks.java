package dev.interlock.errorprone;

import com.sun.source.tree.Tree;
import com.sun.tools.javac.code.Symbol;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The locks that are held at the current point of a walk through code.
 *
 * <p>Where paths join, a lock counts as held if one of them acquired it, and as released if any of them released it.
 * This can miss mistakes, but never reports a false one for {@code if (lease != null) lease.close()}.
 */
final class HeldLocks {
    private List<HeldLock> current = new ArrayList<>();

    /** Everything released so far in the walk, in order. */
    private final List<HeldLock> released = new ArrayList<>();

    List<HeldLock> all() {
        return List.copyOf(current);
    }

    boolean has(HeldLock one) {
        return current.contains(one);
    }

    void clear() {
        current = new ArrayList<>();
        released.clear();
    }

    void add(HeldLock taken) {
        current.add(taken);
    }

    void remove(HeldLock released) {
        removeIf(each -> each == released);
    }

    /** The lease in this variable is closed. */
    void release(@Nullable Symbol name) {
        removeIf(each -> each.isNamed(name));
    }

    /** The scope of this variable ends. Without variables, the lease can no longer be tracked. */
    void endVariable(Symbol name) {
        removeIf(each -> each.removeName(name));
    }

    /** Other code may close the lease in this variable. A lease in try-with-resources stays held. */
    void mayCloseElsewhere(@Nullable Symbol name) {
        removeIf(each -> !each.safe() && each.isNamed(name));
    }

    /** Other code that sees the fields may close the leases in them. */
    void mayCloseFieldsElsewhere() {
        removeIf(each -> !each.safe() && each.isInField());
    }

    /** The walk returns from calls deeper than this. Locks that they acquired are no longer tracked. */
    void returnTo(int depth) {
        removeIf(each -> each.depth() > depth);
    }

    private void removeIf(Predicate<HeldLock> condition) {
        current.removeIf(each -> {
            boolean goes = condition.test(each);
            if (goes) {
                released.add(each);
            }
            return goes;
        });
    }

    /** Makes {@code to} another variable for the lease in {@code from}. Returns whether there is such a lease. */
    boolean alias(@Nullable Symbol from, @Nullable Symbol to, boolean safe) {
        List<HeldLock> meant =
                current.stream().filter(each -> each.isNamed(from)).toList();
        if (meant.isEmpty()) {
            return false;
        }
        removeIf(each -> each.isNamed(to) && !meant.contains(each));
        for (HeldLock each : meant) {
            each.addName(to);
            if (safe) {
                each.markSafe();
            }
        }
        return true;
    }

    /** Removes the leases in these variables for a while, because they are null on the current path. */
    List<HeldLock> setAside(Collection<Symbol> names) {
        List<HeldLock> aside = current.stream()
                .filter(each -> names.stream().anyMatch(each::isNamed))
                .toList();
        current.removeAll(aside);
        return aside;
    }

    void bringBack(List<HeldLock> aside) {
        current.addAll(aside);
    }

    /** Marks a point of the walk for {@link #dropReleasedSince}. */
    int mark() {
        return released.size();
    }

    /** Locks released on any path since the mark may be released here, even if that path has returned. */
    void dropReleasedSince(int mark) {
        current.removeAll(List.copyOf(released.subList(mark, released.size())));
    }

    /** Starts to track paths that branch at this point. */
    Paths branch() {
        return new Paths();
    }

    /** Paths that branch and join again. */
    final class Paths {
        private final List<HeldLock> before = List.copyOf(current);
        private final int mark = mark();
        private final List<List<HeldLock>> ends = new ArrayList<>();
        private final List<List<HeldLock>> jumps = new ArrayList<>();

        /** Starts another path at the branch point. */
        void begin() {
            current = new ArrayList<>(before);
        }

        /** Starts a path somewhere within the other paths, so that their releases may or may not have happened. */
        void beginWithin() {
            begin();
            dropReleasedSince(mark);
        }

        /** The end of a path. Paths that complete abruptly do not reach the join. */
        void end(@Nullable Tree branch) {
            if (branch == null || !AbruptCompletion.completesAbruptly(branch)) {
                ends.add(current);
            }
        }

        /** A path that jumps to the join, after closing everything in between. */
        void jump() {
            jumps.add(new ArrayList<>(current));
        }

        void join() {
            for (List<HeldLock> jump : jumps) {
                jump.removeAll(List.copyOf(released.subList(mark, released.size())));
                ends.add(jump);
            }
            List<HeldLock> met = new ArrayList<>(before);
            ends.forEach(met::retainAll);
            for (List<HeldLock> each : ends) {
                each.stream()
                        .filter(one -> !before.contains(one) && !met.contains(one))
                        .forEach(met::add);
            }
            current = met;
        }

        /** Joins all paths for a finally block, including those that return or throw. */
        void joinForFinally() {
            join();
            dropReleasedSince(mark);
        }
    }
}
