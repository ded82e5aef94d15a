package dev.interlock.errorprone;

import com.sun.source.tree.Tree;
import com.sun.tools.javac.code.Symbol;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The locks that are held at one point of a walk through code.
 *
 * <p>Where paths meet again, a lock that one of them has taken is held, and one that any of them has released is not: that may miss a
 * mistake, but never invents one from {@code if (lease != null) lease.close()}.
 */
final class HeldLocks {
    private List<Held> now = new ArrayList<>();

    /** What was released anywhere in the walk, in this order. */
    private final List<Held> gone = new ArrayList<>();

    List<Held> all() {
        return List.copyOf(now);
    }

    boolean has(Held one) {
        return now.contains(one);
    }

    void clear() {
        now = new ArrayList<>();
        gone.clear();
    }

    void add(Held taken) {
        now.add(taken);
    }

    void remove(Held released) {
        removeIf(each -> each == released);
    }

    /** The lease of this name is closed. */
    void release(@Nullable Symbol name) {
        removeIf(each -> each.isNamed(name));
    }

    /** The name ends here, and with the last one nobody knows the lease any more. */
    void endName(Symbol name) {
        removeIf(each -> each.loseName(name));
    }

    /** Somebody else may close the lease of this name; one in try-with-resources stays held all the same. */
    void handOn(@Nullable Symbol name) {
        removeIf(each -> !each.safe() && each.isNamed(name));
    }

    /** Somebody who sees the fields may close the leases in them. */
    void handOnFields() {
        removeIf(each -> !each.safe() && each.isInAField());
    }

    /** The walk leaves methods that are called deeper than this, and what they took with it. */
    void returnTo(int depth) {
        removeIf(each -> each.depth() > depth);
    }

    private void removeIf(Predicate<Held> condition) {
        now.removeIf(each -> {
            boolean goes = condition.test(each);
            if (goes) {
                gone.add(each);
            }
            return goes;
        });
    }

    /** Whether a lease of the one name was found; it is known by the other one too from now on. */
    boolean alias(@Nullable Symbol from, @Nullable Symbol to, boolean safe) {
        List<Held> meant = now.stream().filter(each -> each.isNamed(from)).toList();
        if (meant.isEmpty()) {
            return false;
        }
        removeIf(each -> each.isNamed(to) && !meant.contains(each));
        for (Held each : meant) {
            each.addName(to);
            if (safe) {
                each.keepUntilTheEndOfItsBlock();
            }
        }
        return true;
    }

    /** Takes the leases of these names out for a while: there are none where they are null. */
    List<Held> setAside(Collection<Symbol> names) {
        List<Held> aside = now.stream()
                .filter(each -> names.stream().anyMatch(each::isNamed))
                .toList();
        now.removeAll(aside);
        return aside;
    }

    void bringBack(List<Held> aside) {
        now.addAll(aside);
    }

    /** A point of the walk, for {@link #dropWhatWentSince}. */
    int mark() {
        return gone.size();
    }

    /** What was released on any path since then, also on one that has returned, may be released here. */
    void dropWhatWentSince(int mark) {
        now.removeAll(List.copyOf(gone.subList(mark, gone.size())));
    }

    /** Paths that part here. */
    Paths part() {
        return new Paths();
    }

    /** Paths that part and meet again. */
    final class Paths {
        private final List<Held> before = List.copyOf(now);
        private final int mark = mark();
        private final List<List<Held>> ends = new ArrayList<>();
        private final List<List<Held>> jumps = new ArrayList<>();

        /** Another path from where they parted. */
        void begin() {
            now = new ArrayList<>(before);
        }

        /** A path from somewhere along the others: what they have released may be released. */
        void beginWithin() {
            begin();
            dropWhatWentSince(mark);
        }

        /** The end of a path; one that returns, throws or jumps does not get here. */
        void end(@Nullable Tree branch) {
            if (branch == null || !Exits.leaves(branch)) {
                ends.add(now);
            }
        }

        /** A path that jumps to where they meet, through everything that is closed on the way. */
        void jump() {
            jumps.add(new ArrayList<>(now));
        }

        void meet() {
            for (List<Held> jump : jumps) {
                jump.removeAll(List.copyOf(gone.subList(mark, gone.size())));
                ends.add(jump);
            }
            List<Held> met = new ArrayList<>(before);
            ends.forEach(met::retainAll);
            for (List<Held> each : ends) {
                each.stream()
                        .filter(one -> !before.contains(one) && !met.contains(one))
                        .forEach(met::add);
            }
            now = met;
        }

        /** What comes after all of them, also after those that return or throw. */
        void meetForFinally() {
            meet();
            dropWhatWentSince(mark);
        }
    }
}
