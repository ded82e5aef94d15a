package dev.interlock.jdbc;

import dev.interlock.jdbc.Guesses.Interest;
import dev.interlock.spi.Grant;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.StoreException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Gives locks back, to the next who waits if there is one. */
final class Releases {
    private final Database database;
    private final LeaseTable table;
    private final Lanes lanes;
    private final RowSteps steps;
    private final Guesses guesses;
    private final @Nullable PostgresShortcuts shortcuts;
    private final @Nullable Gathering<Grant, Boolean> gives;

    Releases(Database database, LeaseTable table, Lanes lanes, RowSteps steps, Guesses guesses) {
        this.database = database;
        this.table = table;
        this.lanes = lanes;
        this.steps = steps;
        this.guesses = guesses;
        this.shortcuts = table.shortcuts();
        Together many = table.together();
        this.gives = many == null
                ? null
                : new Gathering<>(
                        lanes.urgent(),
                        Attempts.CARRIERS,
                        Lanes.ANY_TURN,
                        Grant::key,
                        grants -> giveMany(many, grants));
    }

    CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants) {
        Set<Grant> here;
        try {
            here = grants.size() == 1 ? releaseOneHere(grants.get(0)) : releaseAllHere(grants);
        } catch (StoreException e) {
            return CompletableFuture.failedStage(e);
        }
        if (here.size() == grants.size()) {
            return CompletableFuture.completedStage(Collections.nCopies(grants.size(), ReleaseAnswer.RELEASED));
        }
        Grant first = grants.get(0);
        if (gives != null && grants.size() == 1 && !guesses.isWanted(first.key())) {
            return gives.ask(first)
                    .thenCompose(given -> given
                            ? CompletableFuture.completedStage(List.of(ReleaseAnswer.RELEASED))
                            : lanes.free(() -> List.of(
                                    handToHeir(first) || handOver(first)
                                            ? ReleaseAnswer.RELEASED
                                            : onRows(grants).getOrDefault(first, ReleaseAnswer.NOT_HELD))));
        }
        return lanes.free(() -> releaseThere(grants, here));
    }

    /** The likely statement, by the caller's own thread if it can be had; answers what it has released. */
    private Set<Grant> releaseOneHere(Grant grant) {
        Boolean done = guesses.isWanted(grant.key()) ? handOnHere(grant) : giveHere(grant);
        return done != null && done ? Set.of(grant) : Set.of();
    }

    private @Nullable Boolean giveHere(Grant grant) {
        String address = guesses.addressOf(grant);
        Boolean given = address == null
                ? database.here(lanes.here(), table.giving, give -> table.give(give, grant))
                : database.here(lanes.here(), table.givingAt, give -> table.giveAt(give, grant, address));
        if (given != null) {
            saw(grant, given);
        }
        return given;
    }

    private @Nullable Boolean handOnHere(Grant grant) {
        PostgresShortcuts one = shortcuts;
        if (one == null) {
            return null;
        }
        if (guesses.interestIn(grant.key()) == Interest.CROWD) {
            return database.here(lanes.here(), one.handingOver, give -> one.handOver(give, grant));
        }
        Boolean given = database.here(lanes.here(), one.handingToHeir, give -> one.handToHeir(give, grant));
        if (given != null && !given) {
            guesses.saw(grant.key(), Interest.CROWD);
        }
        return given;
    }

    /** Whether a lock could be given back shows whether somebody wants it; one alone, as far as is known. */
    private void saw(Grant grant, boolean given) {
        guesses.saw(grant.key(), given ? Interest.NOBODY : shortcuts == null ? Interest.CROWD : Interest.HEIR);
    }

    private Set<Grant> releaseAllHere(List<Grant> grants) {
        PostgresShortcuts all = shortcuts;
        Set<Grant> done = all == null ? null : database.here(lanes.here(), it -> all.giveAll(it, grants));
        return done == null ? Set.of() : done;
    }

    /** The rest, with as many statements as it takes. */
    private List<ReleaseAnswer> releaseThere(List<Grant> grants, Set<Grant> done) {
        Set<Grant> released =
                !done.isEmpty() ? done : grants.size() == 1 ? releaseOne(grants.get(0)) : releaseAll(grants);
        List<Grant> others =
                grants.stream().filter(grant -> !released.contains(grant)).toList();
        Map<Grant, ReleaseAnswer> slow = others.isEmpty() ? Map.of() : onRows(others);
        return grants.stream()
                .map(grant -> slow.getOrDefault(grant, ReleaseAnswer.RELEASED))
                .toList();
    }

    private Set<Grant> releaseOne(Grant grant) {
        boolean done = switch (guesses.interestIn(grant.key())) {
            case NOBODY -> give(grant) || handToHeir(grant) || handOver(grant);
            case HEIR -> handToHeir(grant) || handOver(grant) || give(grant);
            case CROWD -> handOver(grant) || give(grant);
        };
        return done ? Set.of(grant) : Set.of();
    }

    private List<Boolean> giveMany(Together many, List<Grant> grants) {
        if (grants.size() == 1) {
            return List.of(give(grants.get(0)));
        }
        List<Boolean> given = database.statement(connection -> many.giveMany(connection, grants));
        for (int i = 0; i < grants.size(); i++) {
            saw(grants.get(i), given.get(i));
        }
        return given;
    }

    private boolean give(Grant grant) {
        boolean given = database.statement(connection -> table.give(connection, grant));
        saw(grant, given);
        return given;
    }

    private boolean handToHeir(Grant grant) {
        PostgresShortcuts one = shortcuts;
        return one != null && database.statement(connection -> one.handToHeir(connection, grant));
    }

    private boolean handOver(Grant grant) {
        PostgresShortcuts one = shortcuts;
        return one != null && database.statement(connection -> one.handOver(connection, grant));
    }

    private Set<Grant> releaseAll(List<Grant> grants) {
        PostgresShortcuts all = shortcuts;
        return all == null ? Set.of() : database.statement(connection -> all.giveAll(connection, grants));
    }

    /** Over locked rows, whatever their locks are like. */
    Map<Grant, ReleaseAnswer> onRows(List<Grant> grants) {
        return steps.on(grants.stream().map(Grant::key).collect(Collectors.toSet()), Set.of(), rows -> {
            Map<Grant, ReleaseAnswer> answers = new HashMap<>();
            for (Grant grant : grants) {
                answers.put(grant, release(rows, grant));
            }
            return answers;
        });
    }

    private static ReleaseAnswer release(RowSteps.Rows rows, Grant grant) {
        LockRow row = rows.find(grant.key());
        if (row == null || !row.release(grant, rows.now)) {
            return ReleaseAnswer.NOT_HELD;
        }
        rows.change(row.key);
        rows.refresh(row);
        return ReleaseAnswer.RELEASED;
    }
}
