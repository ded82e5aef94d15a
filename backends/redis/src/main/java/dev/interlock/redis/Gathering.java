package dev.interlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets questions travel together that would stand in line for the same connection anyway: a call takes along what is asked until the
 * moment it is written. Nobody waits for company, so a quiet process pays nothing; the busier it is, the more go together.
 *
 * <p>Thread-safe and never blocks.
 */
final class Gathering<Q, A> {
    /** One call of more would keep everybody else from the server for too long. */
    static final int MOST_LOCKS = 128;

    /** How questions of one kind are asked and answered. */
    interface Kind<Q, A> {
        /** How many locks a question is about. */
        int locks(Q question);

        /** Whether both can be asked in one call. */
        boolean together(Q one, Q other);

        /** The call that asks one question or several. */
        Call call(List<Asked<Q, A>> asked);

        /** Completes every answer. */
        void arrived(List<Asked<Q, A>> asked, Object reply);

        /** Fails every answer that is not there yet. */
        void failed(List<Asked<Q, A>> asked, Throwable error);
    }

    /** The way to the server. */
    interface Line {
        /** Asks for the call when it is about to be written, and tells when the reply is there; fails if that is refused or never comes. */
        CompletableFuture<?> send(Supplier<Call> late, Consumer<Object> arrived);
    }

    /** A question and who waits for its answer. */
    record Asked<Q, A>(Q question, CompletableFuture<A> answer) {
        /** Answers as another call is answered. */
        void follow(CompletableFuture<A> other) {
            other.whenComplete((found, error) -> {
                if (error != null) {
                    answer.completeExceptionally(error);
                } else {
                    answer.complete(found);
                }
            });
        }
    }

    private final Line line;
    private final Kind<Q, A> kind;
    private volatile @Nullable Trip boarding;

    Gathering(Line line, Kind<Q, A> kind) {
        this.line = line;
        this.kind = kind;
    }

    CompletableFuture<A> ask(Q question) {
        Asked<Q, A> asked = new Asked<>(question, new CompletableFuture<>());
        Trip trip = boarding;
        if (trip == null || !trip.board(asked)) {
            // Two threads that find no trip make two, and the later one is boarded next: no harm, so nothing is locked.
            Trip own = new Trip(asked);
            boarding = own;
            own.begin();
        }
        return asked.answer();
    }

    /** One call on its way to the connection, and who goes along. */
    private final class Trip {
        private final ReentrantLock door = new ReentrantLock();
        private final List<Asked<Q, A>> aboard = new ArrayList<>(4);
        private final Call alone;
        private int locks;
        private @Nullable Call call; // once it is there, nobody boards any more

        Trip(Asked<Q, A> first) {
            aboard.add(first);
            locks = kind.locks(first.question());
            // Made by who asks, because the connection's thread is the one that everybody waits for.
            alone = kind.call(aboard);
        }

        boolean board(Asked<Q, A> asked) {
            int more = kind.locks(asked.question());
            door.lock();
            try {
                if (call != null
                        || locks + more > MOST_LOCKS
                        || !kind.together(aboard.get(0).question(), asked.question())) {
                    return false;
                }
                aboard.add(asked);
                locks += more;
                return true;
            } finally {
                door.unlock();
            }
        }

        /** What is asked, decided when it is first wanted: by the connection, which is about to write it. */
        Call leave() {
            door.lock();
            try {
                Call leaving = call;
                if (leaving == null) {
                    leaving = aboard.size() == 1 ? alone : kind.call(aboard);
                    call = leaving;
                }
                return leaving;
            } finally {
                door.unlock();
            }
        }

        void begin() {
            line.send(this::leave, reply -> kind.arrived(aboard, reply)).whenComplete((done, error) -> {
                if (error != null) {
                    stay();
                    kind.failed(aboard, error);
                }
            });
        }

        /** If it never left, whoever boards later must take another one. */
        private void stay() {
            door.lock();
            try {
                call = call == null ? alone : call;
            } finally {
                door.unlock();
            }
        }
    }
}
