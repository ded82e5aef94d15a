package dev.interlock.errorprone;

import com.google.errorprone.VisitorState;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.BreakTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ContinueTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LabeledStatementTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.TypeCastTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.tree.YieldTree;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.ClassSymbol;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import javax.lang.model.element.Name;
import org.jspecify.annotations.Nullable;

/**
 * Walks through code in the order in which it runs and knows at each step which locks are held.
 *
 * <p>The walk goes into methods of the same class, and into the work of {@code run}, {@code call} and {@code tryRun}, also where that was
 * made before; everything else in a lambda or a class of its own may run on another thread and is a walk of its own, with nothing held.
 *
 * <p>One file, one thread, used once.
 */
final class NestingWalk extends TreeScanner<@Nullable Void, @Nullable Void> {
    /** Calls inside calls that are followed. */
    private static final int DEEPEST = 24;

    /** Calls that are followed from one place where a walk begins: methods that fan out are not walked for ever. */
    private static final int MOST_CALLS = 500;

    /** Is told of each request, with what is held when it is made. */
    interface Listener {
        /**
         * Something is asked for here.
         *
         * @param path the calls that led here, outermost first; as deep as {@link Held#depth} counts
         */
        void asked(Asked asked, MethodInvocationTree verb, List<Held> held, List<Tree> path);
    }

    private final Sources sources;
    private final StaticValues values;
    private final Requests requests;
    private final Predicate<Tree> suppressed;
    private final Listener listener;
    private final VisitorState state;

    private final Deque<Beginning> beginnings = new ArrayDeque<>();
    private final Set<Tree> begun = new HashSet<>();

    private final HeldLocks held = new HeldLocks();
    private Map<Symbol, Value> parameters = Map.of();
    private final List<Tree> path = new ArrayList<>();
    private final Deque<Tree> inside = new ArrayDeque<>();
    private final Deque<Landing> landings = new ArrayDeque<>();
    private @Nullable Symbol home;
    private int calls;
    private int muted;

    NestingWalk(
            Sources sources,
            StaticValues values,
            Requests requests,
            Predicate<Tree> suppressed,
            Listener listener,
            VisitorState state) {
        this.sources = sources;
        this.values = values;
        this.requests = requests;
        this.suppressed = suppressed;
        this.listener = listener;
        this.state = state;
    }

    /** Code that runs with nothing held, and the class that it belongs to. */
    private record Beginning(Tree tree, @Nullable Symbol home) {}

    /** A statement around the walk that can be jumped out of. */
    private record Landing(Tree tree, HeldLocks.Paths paths) {}

    /** Walks through everything in the file. */
    void walk(Iterable<? extends Tree> types) {
        types.forEach(this::begin);
        while (!beginnings.isEmpty()) {
            Beginning next = beginnings.removeFirst();
            home = next.home();
            held.clear();
            parameters = Map.of();
            calls = 0;
            if (next.tree() instanceof ClassTree type) {
                walkMembers(type);
            } else if (next.tree() instanceof LambdaExpressionTree lambda) {
                scan(lambda.getBody(), null);
            }
        }
    }

    private void begin(Tree tree) {
        if (muted == 0 && !suppressed.test(tree) && begun.add(tree)) {
            beginnings.add(new Beginning(tree, home));
        }
    }

    private void walkMembers(ClassTree type) {
        for (Tree member : type.getMembers()) {
            held.clear();
            calls = 0;
            if (member instanceof MethodTree method) {
                if (!suppressed.test(method)) {
                    enter(method, ASTHelpers.getSymbol(type), method.getBody());
                }
            } else {
                home = ASTHelpers.getSymbol(type);
                scan(member, null);
            }
        }
    }

    private void enter(Tree code, Symbol itsHome, @Nullable Tree body) {
        Symbol homeBefore = home;
        home = itsHome;
        inside.push(code);
        int mark = held.mark();
        scan(body, null);
        held.dropWhatWentSince(mark);
        inside.pop();
        home = homeBefore;
    }

    // ---------------------------------------------------------------- taking and releasing

    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void nothing) {
        if (LockApi.WORK.matches(call, state)) {
            work(call);
        } else if (LockApi.ACQUIRE.matches(call, state) || LockApi.TRY_ACQUIRE.matches(call, state)) {
            super.visitMethodInvocation(call, null);
            tell(requests.read(call, parameters), call);
        } else if (LockApi.RELEASE.matches(call, state)) {
            super.visitMethodInvocation(call, null);
            release(ASTHelpers.getReceiver(call));
        } else if (LockApi.VISIT.matches(call, state) && behindReceiver(call) != null) {
            visitOptional(call);
        } else if (LockApi.EACH.matches(call, state)) {
            scan(ASTHelpers.getReceiver(call), null);
            make(call.getArguments().get(0));
            inline(call.getArguments().get(0), null);
        } else {
            super.visitMethodInvocation(call, null);
            MethodTree method = ownMethod(ASTHelpers.getSymbol(call));
            if (method != null) {
                follow(method, call, values.parametersOf(method, call, parameters));
            } else if (seesOurFields(call)) {
                held.handOnFields();
            }
            handOn(ASTHelpers.getSymbol(call), call.getArguments());
        }
        return null;
    }

    private void tell(Asked asked, MethodInvocationTree verb) {
        if (muted == 0) {
            listener.asked(asked, verb, held.all(), List.copyOf(path));
        }
    }

    private void work(MethodInvocationTree verb) {
        Asked asked = requests.read(verb, parameters);
        scan(ASTHelpers.getReceiver(verb), null);
        for (ExpressionTree each : verb.getArguments()) {
            if (each != asked.work()) {
                scan(each, null);
            }
        }
        make(asked.work());
        tell(asked, verb);
        Held taken = take(asked, verb, leaseIn(asked.work()), true);
        inline(asked.work(), taken);
    }

    /** What the work calls the lease that it is given. */
    private @Nullable Symbol leaseIn(@Nullable ExpressionTree work) {
        ExpressionTree what = work == null ? null : meant(work).tree();
        List<? extends VariableTree> given = List.of();
        if (what instanceof LambdaExpressionTree lambda) {
            given = lambda.getParameters();
        } else if (what != null) {
            MethodTree method = what instanceof MemberReferenceTree reference
                    ? ownMethod(ASTHelpers.getSymbol(reference))
                    : onlyMethod(what);
            given = method == null ? List.of() : method.getParameters();
        }
        return given.isEmpty() ? null : ASTHelpers.getSymbol(given.get(0));
    }

    /** The work itself, or what the variable that it is in was set to. */
    private Value meant(ExpressionTree work) {
        return values.follow(new Value(work, parameters));
    }

    /** Walks through the expression that gives the work, before the work is done. */
    private void make(@Nullable ExpressionTree work) {
        if (work != null && !isWritten(ASTHelpers.stripParentheses(work))) {
            scan(work, null);
        }
    }

    private static boolean isWritten(ExpressionTree work) {
        return work instanceof LambdaExpressionTree || work instanceof MemberReferenceTree;
    }

    /** Walks through work that is done here and now, and gives up the lock afterwards. */
    private void inline(@Nullable ExpressionTree work, @Nullable Held during) {
        ExpressionTree what = work == null ? null : ASTHelpers.stripParentheses(work);
        if (what instanceof LambdaExpressionTree lambda) {
            begun.add(lambda);
            int mark = held.mark();
            scan(lambda.getBody(), null);
            held.dropWhatWentSince(mark);
        } else if (what instanceof MemberReferenceTree reference) {
            scan(reference.getQualifierExpression(), null);
            followReference(reference, reference);
        } else if (what != null && !isPassedOver(what)) {
            followMade(meant(what), what);
        }
        if (during != null) {
            held.remove(during);
        }
    }

    private boolean isPassedOver(ExpressionTree work) {
        Tree declared = sources.declarationOf(ASTHelpers.getSymbol(work));
        return declared != null && suppressed.test(declared);
    }

    private void followReference(MemberReferenceTree reference, Tree call) {
        MethodTree method = ownMethod(ASTHelpers.getSymbol(reference));
        if (method != null) {
            follow(method, call, Map.of());
        }
    }

    /** Walks through work that was made before, or is an object of a class of its own. */
    private void followMade(Value work, Tree call) {
        if (work.tree() instanceof MemberReferenceTree reference) {
            followReference(reference, call);
            return;
        }
        Symbol itsHome = sources.homeOf(work.tree());
        if (itsHome == null || !isOurs(itsHome)) {
            return;
        }
        MethodTree method = onlyMethod(work.tree());
        if (method != null) {
            follow(method, call, work.parameters());
        } else if (work.tree() instanceof LambdaExpressionTree lambda) {
            follow(lambda, itsHome, lambda.getBody(), call, work.parameters());
        }
    }

    /** The method of an anonymous class that implements a functional interface. */
    private @Nullable MethodTree onlyMethod(ExpressionTree work) {
        if (!(work instanceof NewClassTree made)
                || made.getClassBody() == null
                || !(ASTHelpers.getSymbol(made.getIdentifier()) instanceof ClassSymbol type)
                || !state.getTypes().isFunctionalInterface(type)) {
            return null;
        }
        Symbol implemented = state.getTypes().findDescriptorSymbol(type);
        for (Tree member : made.getClassBody().getMembers()) {
            if (member instanceof MethodTree method
                    && ASTHelpers.findSuperMethods(ASTHelpers.getSymbol(method), state.getTypes())
                            .contains(implemented)) {
                return method;
            }
        }
        return null;
    }

    private void visitOptional(MethodInvocationTree call) {
        ExpressionTree optional = Objects.requireNonNull(ASTHelpers.getReceiver(call));
        scan(optional, null);
        Asked asked = behindReceiver(call);
        List<? extends ExpressionTree> given = call.getArguments();
        ExpressionTree visitor = given.get(0);
        make(visitor);
        Held during = asked == null ? null : take(asked, call, leaseIn(visitor), false);
        inline(visitor, null);
        if (LockApi.RELEASE.matches(visitor, state) || (during != null && !held.has(during))) {
            held.release(nameOf(optional));
        } else if (visitor instanceof MemberReferenceTree reference
                && !LockApi.onlyLooks(ASTHelpers.getSymbol(reference))) {
            held.handOn(nameOf(optional));
        }
        if (during != null) {
            held.remove(during);
        }
        for (ExpressionTree each : given.subList(1, given.size())) {
            make(each);
            inline(each, null);
        }
    }

    private @Nullable Asked behindReceiver(MethodInvocationTree call) {
        ExpressionTree receiver = ASTHelpers.getReceiver(call);
        return receiver == null ? null : requests.behind(new Value(receiver, parameters));
    }

    private @Nullable Held take(Asked asked, Tree place, @Nullable Symbol lease, boolean safe) {
        if (!asked.counts()) {
            return null;
        }
        Held taken = new Held(asked, place, path.size(), lease, safe);
        held.add(taken);
        return taken;
    }

    private void takeIfLease(@Nullable ExpressionTree source, @Nullable Symbol lease, boolean safe) {
        if (source == null || !LockApi.IS_LEASE.matches(source, state)) {
            return;
        }
        if (lease != null && !safe && !LockApi.isLease(lease, state)) {
            handOn(null, List.of(source)); // as an AutoCloseable it is closed unseen
            return;
        }
        boolean known = false;
        for (ExpressionTree each : choices(source)) {
            known |= isName(each) && held.alias(nameOf(each), lease, safe);
        }
        Asked asked = known ? null : requests.behind(new Value(source, parameters));
        if (asked == null) {
            return;
        }
        held.release(lease);
        Held taken = take(asked, source, lease, safe);
        if (taken != null && lease != null && LockApi.UNWRAP.matches(ASTHelpers.stripParentheses(source), state)) {
            Symbol optional = nameOf(source);
            taken.addName(optional instanceof VarSymbol ? optional : null);
        }
    }

    /** The expressions of which this is one, without casts. */
    private static List<ExpressionTree> choices(ExpressionTree source) {
        ExpressionTree plain = ASTHelpers.stripParentheses(source);
        if (plain instanceof TypeCastTree cast) {
            return choices(cast.getExpression());
        }
        if (plain instanceof ConditionalExpressionTree choice) {
            List<ExpressionTree> both = new ArrayList<>(choices(choice.getTrueExpression()));
            both.addAll(choices(choice.getFalseExpression()));
            return both;
        }
        return List.of(plain);
    }

    private static boolean isName(ExpressionTree tree) {
        return tree instanceof IdentifierTree || tree instanceof MemberSelectTree;
    }

    private void release(@Nullable ExpressionTree lease) {
        held.release(lease == null ? null : nameOf(lease));
    }

    private @Nullable Symbol nameOf(ExpressionTree lease) {
        return nameOf(new Value(lease, parameters));
    }

    /**
     * The variable that a lease is in: {@code lease}, {@code this.lease}; of {@code optional.get()} the optional. A parameter is what the
     * caller calls it.
     */
    private @Nullable Symbol nameOf(Value lease) {
        ExpressionTree plain = ASTHelpers.stripParentheses(lease.tree());
        ExpressionTree optional = LockApi.UNWRAP.matches(plain, state) ? ASTHelpers.getReceiver(plain) : null;
        Symbol name = ASTHelpers.getSymbol(optional == null ? plain : optional);
        Value given = name == null ? null : lease.parameters().get(name);
        return given != null && nameOf(given) instanceof VarSymbol callers ? callers : name;
    }

    /** Whoever gets a lease may close it. */
    private void handOn(@Nullable Symbol method, List<? extends ExpressionTree> arguments) {
        if (LockApi.onlyLooks(method)) {
            return;
        }
        for (ExpressionTree each : arguments) {
            held.handOn(LockApi.IS_LEASE.matches(each, state) ? nameOf(each) : null);
        }
    }

    @Override
    public @Nullable Void visitNewClass(NewClassTree tree, @Nullable Void nothing) {
        super.visitNewClass(tree, null);
        handOn(ASTHelpers.getSymbol(tree), tree.getArguments());
        return null;
    }

    @Override
    public @Nullable Void visitNewArray(NewArrayTree tree, @Nullable Void nothing) {
        super.visitNewArray(tree, null);
        handOn(null, tree.getInitializers() == null ? List.of() : tree.getInitializers());
        return null;
    }

    @Override
    public @Nullable Void visitMemberReference(MemberReferenceTree tree, @Nullable Void nothing) {
        super.visitMemberReference(tree, null);
        if (LockApi.RELEASE.matches(tree, state)) {
            held.handOn(nameOf(tree.getQualifierExpression()));
        }
        return null;
    }

    @Override
    public @Nullable Void visitVariable(VariableTree tree, @Nullable Void nothing) {
        declare(tree, false);
        return null;
    }

    private void declare(VariableTree tree, boolean resource) {
        int before = muted;
        muted += suppressed.test(tree) ? 1 : 0;
        scan(tree.getInitializer(), null);
        muted = before;
        takeIfLease(tree.getInitializer(), ASTHelpers.getSymbol(tree), resource);
    }

    @Override
    public @Nullable Void visitAssignment(AssignmentTree tree, @Nullable Void nothing) {
        super.visitAssignment(tree, null);
        Symbol variable = ASTHelpers.getSymbol(tree.getVariable());
        if (variable == null) {
            handOn(null, List.of(tree.getExpression())); // into an array: who closes it there cannot be seen
        } else {
            takeIfLease(tree.getExpression(), variable, false);
        }
        return null;
    }

    @Override
    public @Nullable Void visitExpressionStatement(ExpressionStatementTree tree, @Nullable Void nothing) {
        super.visitExpressionStatement(tree, null);
        if (LockApi.ACQUIRE.matches(tree.getExpression(), state)) {
            takeIfLease(tree.getExpression(), null, false);
        }
        return null;
    }

    // ---------------------------------------------------------------- other methods, other threads

    /** The method, if it is of the class that is walked through, or of one around it, and has to do with locks. */
    private @Nullable MethodTree ownMethod(@Nullable MethodSymbol method) {
        MethodTree body = sources.bodyOf(method);
        if (method == null || body == null || home == null || !sources.takesLocks(method)) {
            return null;
        }
        return isOurs(method.owner) ? body : null;
    }

    /** Whether it is the class that is walked through, or one around it. */
    private boolean isOurs(Symbol type) {
        return type.equals(home)
                || (home != null && ASTHelpers.enclosingElements(home).anyMatch(type::equals));
    }

    /**
     * Whether a method that is not followed may close a lease in a field: one that is inherited, or left to a subclass; of another class of
     * this file; or of whoever is given this object.
     */
    private boolean seesOurFields(MethodInvocationTree call) {
        ExpressionTree receiver = ASTHelpers.getReceiver(call);
        MethodSymbol method = ASTHelpers.getSymbol(call);
        return sources.bodyOf(method) == null
                ? receiver == null
                        || isUs(receiver)
                        || call.getArguments().stream().anyMatch(NestingWalk::isUs)
                : sources.takesLocks(method);
    }

    private static boolean isUs(ExpressionTree tree) {
        return tree instanceof IdentifierTree name
                && (name.getName().contentEquals("this") || name.getName().contentEquals("super"));
    }

    private void follow(MethodTree method, Tree call, Map<Symbol, Value> given) {
        follow(method, ASTHelpers.getSymbol(method).owner, method.getBody(), call, given);
    }

    private void follow(Tree code, Symbol itsHome, @Nullable Tree body, Tree call, Map<Symbol, Value> given) {
        if (inside.contains(code) || path.size() == DEEPEST || calls++ >= MOST_CALLS || suppressed.test(code)) {
            held.handOnFields();
            return;
        }
        Map<Symbol, Value> parametersBefore = parameters;
        parameters = given;
        path.add(call);
        enter(code, itsHome, body);
        path.remove(path.size() - 1);
        parameters = parametersBefore;
        held.returnTo(path.size());
    }

    @Override
    public @Nullable Void visitLambdaExpression(LambdaExpressionTree tree, @Nullable Void nothing) {
        begin(tree);
        handOnAllIn(tree);
        return null;
    }

    @Override
    public @Nullable Void visitClass(ClassTree tree, @Nullable Void nothing) {
        begin(tree);
        handOnAllIn(tree);
        return null;
    }

    /** Code that runs later may close the leases that it can see. */
    private void handOnAllIn(Tree later) {
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void visitIdentifier(IdentifierTree tree, @Nullable Void nothing) {
                held.handOn(ASTHelpers.getSymbol(tree));
                return null;
            }
        }.scan(later, null);
    }

    // ---------------------------------------------------------------- paths

    @Override
    public @Nullable Void visitBlock(BlockTree tree, @Nullable Void nothing) {
        super.visitBlock(tree, null);
        for (StatementTree each : tree.getStatements()) {
            if (each instanceof VariableTree variable) {
                held.endName(ASTHelpers.getSymbol(variable));
            }
        }
        return null;
    }

    @Override
    public @Nullable Void visitTry(TryTree tree, @Nullable Void nothing) {
        HeldLocks.Paths paths = held.part();
        for (Tree resource : tree.getResources()) {
            if (resource instanceof VariableTree variable) {
                declare(variable, true);
            } else {
                scan(resource, null);
            }
        }
        scan(tree.getBlock(), null);
        for (Tree resource : tree.getResources()) {
            if (resource instanceof VariableTree variable) {
                held.release(ASTHelpers.getSymbol(variable));
            } else if (resource instanceof ExpressionTree lease) {
                release(lease);
            }
        }
        paths.end(tree.getBlock());
        for (CatchTree each : tree.getCatches()) {
            paths.beginWithin();
            scan(each, null);
            paths.end(each.getBlock());
        }
        if (tree.getFinallyBlock() == null) {
            paths.meet();
        } else {
            paths.meetForFinally();
            scan(tree.getFinallyBlock(), null);
        }
        return null;
    }

    @Override
    public @Nullable Void visitIf(IfTree tree, @Nullable Void nothing) {
        scan(tree.getCondition(), null);
        HeldLocks.Paths paths = held.part();
        Tree then = tree.getThenStatement();
        Tree otherwise = tree.getElseStatement();
        branch(paths, tree.getCondition(), true, then, otherwise);
        branch(paths, tree.getCondition(), false, otherwise, then);
        paths.meet();
        return null;
    }

    /** A path on which the condition has this outcome. What is null there is not held; if no other path goes on, not afterwards either. */
    private void branch(
            HeldLocks.Paths paths,
            ExpressionTree condition,
            boolean outcome,
            @Nullable Tree branch,
            @Nullable Tree other) {
        paths.begin();
        List<Held> aside = setAside(condition, outcome);
        scan(branch, null);
        if (!Exits.leaves(other)) {
            held.bringBack(aside);
        }
        paths.end(branch);
    }

    private List<Held> setAside(@Nullable ExpressionTree condition, boolean outcome) {
        List<Symbol> names = new ArrayList<>();
        Absence absence =
                new Absence(each -> values.follow(new Value(each, parameters)).tree(), state);
        for (ExpressionTree each : absence.when(outcome, condition)) {
            Symbol name = nameOf(each);
            if (name != null) {
                names.add(name);
            }
        }
        return held.setAside(names);
    }

    @Override
    public @Nullable Void visitConditionalExpression(ConditionalExpressionTree tree, @Nullable Void nothing) {
        scan(tree.getCondition(), null);
        List<Held> aside = setAside(tree.getCondition(), true);
        scan(tree.getTrueExpression(), null);
        held.bringBack(aside);
        aside = setAside(tree.getCondition(), false);
        scan(tree.getFalseExpression(), null);
        held.bringBack(aside);
        return null;
    }

    @Override
    public @Nullable Void visitSwitch(SwitchTree tree, @Nullable Void nothing) {
        scan(tree.getExpression(), null);
        cases(tree, tree.getCases());
        return null;
    }

    @Override
    public @Nullable Void visitSwitchExpression(SwitchExpressionTree tree, @Nullable Void nothing) {
        scan(tree.getExpression(), null);
        cases(tree, tree.getCases());
        return null;
    }

    private void cases(Tree tree, List<? extends CaseTree> cases) {
        HeldLocks.Paths paths = held.part();
        landings.push(new Landing(tree, paths));
        for (CaseTree each : cases) {
            paths.begin();
            scan(each, null);
            paths.end(each);
        }
        landings.pop();
        paths.begin();
        paths.end(null);
        paths.meet();
        for (CaseTree each : cases) {
            List<? extends StatementTree> statements = each.getStatements();
            for (StatementTree statement : statements == null ? List.<StatementTree>of() : statements) {
                if (statement instanceof VariableTree variable) {
                    held.endName(ASTHelpers.getSymbol(variable));
                }
            }
        }
    }

    @Override
    public @Nullable Void visitWhileLoop(WhileLoopTree tree, @Nullable Void nothing) {
        scan(tree.getCondition(), null);
        loop(tree, tree.getCondition(), tree.getStatement());
        return null;
    }

    @Override
    public @Nullable Void visitDoWhileLoop(DoWhileLoopTree tree, @Nullable Void nothing) {
        loop(tree, null, tree.getStatement());
        scan(tree.getCondition(), null);
        return null;
    }

    @Override
    public @Nullable Void visitForLoop(ForLoopTree tree, @Nullable Void nothing) {
        scan(tree.getInitializer(), null);
        scan(tree.getCondition(), null);
        loop(tree, tree.getCondition(), tree.getStatement());
        scan(tree.getUpdate(), null);
        for (StatementTree each : tree.getInitializer()) {
            if (each instanceof VariableTree variable) {
                held.endName(ASTHelpers.getSymbol(variable));
            }
        }
        return null;
    }

    @Override
    public @Nullable Void visitEnhancedForLoop(EnhancedForLoopTree tree, @Nullable Void nothing) {
        scan(tree.getExpression(), null);
        loop(tree, null, tree.getStatement());
        return null;
    }

    private void loop(Tree tree, @Nullable ExpressionTree condition, StatementTree body) {
        HeldLocks.Paths paths = held.part();
        landings.push(new Landing(tree, paths));
        List<Held> aside = setAside(condition, true);
        scan(body, null);
        held.bringBack(aside);
        paths.end(body);
        landings.pop();
        paths.begin();
        paths.end(null);
        paths.meet();
    }

    @Override
    public @Nullable Void visitLabeledStatement(LabeledStatementTree tree, @Nullable Void nothing) {
        HeldLocks.Paths paths = held.part();
        landings.push(new Landing(tree, paths));
        scan(tree.getStatement(), null);
        landings.pop();
        paths.end(tree.getStatement());
        paths.meet();
        return null;
    }

    @Override
    public @Nullable Void visitBreak(BreakTree tree, @Nullable Void nothing) {
        jump(tree.getLabel(), at -> isLoop(at) || at instanceof SwitchTree);
        return null;
    }

    @Override
    public @Nullable Void visitContinue(ContinueTree tree, @Nullable Void nothing) {
        jump(tree.getLabel(), NestingWalk::isLoop);
        return null;
    }

    @Override
    public @Nullable Void visitYield(YieldTree tree, @Nullable Void nothing) {
        scan(tree.getValue(), null);
        jump(null, at -> at instanceof SwitchExpressionTree);
        return null;
    }

    private void jump(@Nullable Name label, Predicate<Tree> target) {
        for (Landing each : landings) { // innermost first
            boolean here = label == null
                    ? target.test(each.tree())
                    : each.tree() instanceof LabeledStatementTree labeled
                            && labeled.getLabel().equals(label);
            if (here) {
                each.paths().jump();
                return;
            }
        }
    }

    private static boolean isLoop(Tree tree) {
        return tree instanceof WhileLoopTree
                || tree instanceof DoWhileLoopTree
                || tree instanceof ForLoopTree
                || tree instanceof EnhancedForLoopTree;
    }
}
