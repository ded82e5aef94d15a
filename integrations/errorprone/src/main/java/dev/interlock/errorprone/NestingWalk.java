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
 * Walks through code in execution order and tracks which locks are held.
 *
 * <p>The walk enters methods of the same class, and the work passed to {@code run}, {@code call} and {@code tryRun},
 * even if it was created earlier. All other lambdas and classes may run on another thread. Each of them is a separate
 * walk that starts with no lock held.
 *
 * <p>One file, one thread, used once.
 */
final class NestingWalk extends TreeScanner<@Nullable Void, @Nullable Void> {
    /** The maximum depth of calls to follow. */
    private static final int MAX_DEPTH = 24;

    /**
     * The maximum number of calls to follow per start of a walk. Without it, methods with many calls would take
     * forever.
     */
    private static final int MAX_CALLS = 500;

    /** Receives each request with the locks that are held at that point. */
    interface Listener {
        /**
         * A request is made here.
         *
         * @param path the calls that led here, outermost first; {@link HeldLock#depth} is an index into it
         */
        void requested(StaticRequest request, MethodInvocationTree verb, List<HeldLock> held, List<Tree> path);
    }

    private final SourceIndex sources;
    private final StaticValues values;
    private final RequestReader requests;
    private final Predicate<Tree> suppressed;
    private final Listener listener;
    private final VisitorState state;

    private final Deque<Start> starts = new ArrayDeque<>();
    private final Set<Tree> started = new HashSet<>();

    private final HeldLocks held = new HeldLocks();
    private Map<Symbol, BoundExpression> parameters = Map.of();
    private final List<Tree> path = new ArrayList<>();
    private final Deque<Tree> inside = new ArrayDeque<>();
    private final Deque<JumpTarget> jumpTargets = new ArrayDeque<>();
    private @Nullable Symbol currentClass;
    private int calls;
    private int suppressedDepth;

    NestingWalk(
            SourceIndex sources,
            StaticValues values,
            RequestReader requests,
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

    /** Code that runs with no lock held, and its class. */
    private record Start(Tree tree, @Nullable Symbol enclosingClass) {}

    /** An enclosing statement that a jump can leave. */
    private record JumpTarget(Tree tree, HeldLocks.Paths paths) {}

    /** Walks through all code of the file. */
    void walk(Iterable<? extends Tree> types) {
        types.forEach(this::begin);
        while (!starts.isEmpty()) {
            Start next = starts.removeFirst();
            currentClass = next.enclosingClass();
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
        if (suppressedDepth == 0 && !suppressed.test(tree) && started.add(tree)) {
            starts.add(new Start(tree, currentClass));
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
                currentClass = ASTHelpers.getSymbol(type);
                scan(member, null);
            }
        }
    }

    private void enter(Tree code, Symbol itsClass, @Nullable Tree body) {
        Symbol classBefore = currentClass;
        currentClass = itsClass;
        inside.push(code);
        int mark = held.mark();
        scan(body, null);
        held.dropReleasedSince(mark);
        inside.pop();
        currentClass = classBefore;
    }

    // ---------------------------------------------------------------- acquiring and releasing

    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void nothing) {
        if (LockApi.WORK.matches(call, state)) {
            work(call);
        } else if (LockApi.ACQUIRE.matches(call, state) || LockApi.TRY_ACQUIRE.matches(call, state)) {
            super.visitMethodInvocation(call, null);
            notifyListener(requests.read(call, parameters), call);
        } else if (LockApi.RELEASE.matches(call, state)) {
            super.visitMethodInvocation(call, null);
            release(ASTHelpers.getReceiver(call));
        } else if (LockApi.VISIT.matches(call, state) && requestBehindReceiver(call) != null) {
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
            } else if (mayCloseFields(call)) {
                held.mayCloseFieldsElsewhere();
            }
            mayCloseElsewhere(ASTHelpers.getSymbol(call), call.getArguments());
        }
        return null;
    }

    private void notifyListener(StaticRequest request, MethodInvocationTree verb) {
        if (suppressedDepth == 0) {
            listener.requested(request, verb, held.all(), List.copyOf(path));
        }
    }

    private void work(MethodInvocationTree verb) {
        StaticRequest request = requests.read(verb, parameters);
        scan(ASTHelpers.getReceiver(verb), null);
        for (ExpressionTree each : verb.getArguments()) {
            if (each != request.work()) {
                scan(each, null);
            }
        }
        make(request.work());
        notifyListener(request, verb);
        HeldLock taken = take(request, verb, leaseIn(request.work()), true);
        inline(request.work(), taken);
    }

    /** The parameter through which the work receives the lease. */
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

    /** The work itself, or the value of the variable that holds it. */
    private BoundExpression meant(ExpressionTree work) {
        return values.follow(new BoundExpression(work, parameters));
    }

    /** Walks through the expression that creates the work, before the work runs. */
    private void make(@Nullable ExpressionTree work) {
        if (work != null && !isWritten(ASTHelpers.stripParentheses(work))) {
            scan(work, null);
        }
    }

    private static boolean isWritten(ExpressionTree work) {
        return work instanceof LambdaExpressionTree || work instanceof MemberReferenceTree;
    }

    /** Walks through work that runs immediately, then releases the lock. */
    private void inline(@Nullable ExpressionTree work, @Nullable HeldLock during) {
        ExpressionTree what = work == null ? null : ASTHelpers.stripParentheses(work);
        if (what instanceof LambdaExpressionTree lambda) {
            started.add(lambda);
            int mark = held.mark();
            scan(lambda.getBody(), null);
            held.dropReleasedSince(mark);
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

    /** Walks through work that was created earlier or is an instance of a class. */
    private void followMade(BoundExpression work, Tree call) {
        if (work.tree() instanceof MemberReferenceTree reference) {
            followReference(reference, call);
            return;
        }
        Symbol itsClass = sources.enclosingClassOf(work.tree());
        if (itsClass == null || !isOurs(itsClass)) {
            return;
        }
        MethodTree method = onlyMethod(work.tree());
        if (method != null) {
            follow(method, call, work.parameters());
        } else if (work.tree() instanceof LambdaExpressionTree lambda) {
            follow(lambda, itsClass, lambda.getBody(), call, work.parameters());
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
        StaticRequest request = requestBehindReceiver(call);
        List<? extends ExpressionTree> given = call.getArguments();
        ExpressionTree visitor = given.get(0);
        make(visitor);
        HeldLock during = request == null ? null : take(request, call, leaseIn(visitor), false);
        inline(visitor, null);
        if (LockApi.RELEASE.matches(visitor, state) || (during != null && !held.has(during))) {
            held.release(nameOf(optional));
        } else if (visitor instanceof MemberReferenceTree reference
                && !LockApi.onlyReads(ASTHelpers.getSymbol(reference))) {
            held.mayCloseElsewhere(nameOf(optional));
        }
        if (during != null) {
            held.remove(during);
        }
        for (ExpressionTree each : given.subList(1, given.size())) {
            make(each);
            inline(each, null);
        }
    }

    private @Nullable StaticRequest requestBehindReceiver(MethodInvocationTree call) {
        ExpressionTree receiver = ASTHelpers.getReceiver(call);
        return receiver == null ? null : requests.requestBehind(new BoundExpression(receiver, parameters));
    }

    private @Nullable HeldLock take(StaticRequest request, Tree place, @Nullable Symbol lease, boolean safe) {
        if (!request.isTracked()) {
            return null;
        }
        HeldLock taken = new HeldLock(request, place, path.size(), lease, safe);
        held.add(taken);
        return taken;
    }

    private void takeIfLease(@Nullable ExpressionTree source, @Nullable Symbol lease, boolean safe) {
        if (source == null || !LockApi.IS_LEASE.matches(source, state)) {
            return;
        }
        if (lease != null && !safe && !LockApi.isLease(lease, state)) {
            mayCloseElsewhere(null, List.of(source)); // closed as an AutoCloseable, which the walk cannot see
            return;
        }
        boolean known = false;
        for (ExpressionTree each : choices(source)) {
            known |= isName(each) && held.alias(nameOf(each), lease, safe);
        }
        StaticRequest request = known ? null : requests.requestBehind(new BoundExpression(source, parameters));
        if (request == null) {
            return;
        }
        held.release(lease);
        HeldLock taken = take(request, source, lease, safe);
        if (taken != null && lease != null && LockApi.UNWRAP.matches(ASTHelpers.stripParentheses(source), state)) {
            Symbol optional = nameOf(source);
            taken.addName(optional instanceof VarSymbol ? optional : null);
        }
    }

    /** The alternatives of a conditional expression, without casts. */
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
        return nameOf(new BoundExpression(lease, parameters));
    }

    /**
     * The variable that holds a lease: {@code lease}, {@code this.lease}, or the optional of {@code optional.get()}.
     * For a parameter, the variable of the caller.
     */
    private @Nullable Symbol nameOf(BoundExpression lease) {
        ExpressionTree plain = ASTHelpers.stripParentheses(lease.tree());
        ExpressionTree optional = LockApi.UNWRAP.matches(plain, state) ? ASTHelpers.getReceiver(plain) : null;
        Symbol name = ASTHelpers.getSymbol(optional == null ? plain : optional);
        BoundExpression given = name == null ? null : lease.parameters().get(name);
        return given != null && nameOf(given) instanceof VarSymbol callers ? callers : name;
    }

    /** Code that receives a lease may close it. */
    private void mayCloseElsewhere(@Nullable Symbol method, List<? extends ExpressionTree> arguments) {
        if (LockApi.onlyReads(method)) {
            return;
        }
        for (ExpressionTree each : arguments) {
            held.mayCloseElsewhere(LockApi.IS_LEASE.matches(each, state) ? nameOf(each) : null);
        }
    }

    @Override
    public @Nullable Void visitNewClass(NewClassTree tree, @Nullable Void nothing) {
        super.visitNewClass(tree, null);
        mayCloseElsewhere(ASTHelpers.getSymbol(tree), tree.getArguments());
        return null;
    }

    @Override
    public @Nullable Void visitNewArray(NewArrayTree tree, @Nullable Void nothing) {
        super.visitNewArray(tree, null);
        mayCloseElsewhere(null, tree.getInitializers() == null ? List.of() : tree.getInitializers());
        return null;
    }

    @Override
    public @Nullable Void visitMemberReference(MemberReferenceTree tree, @Nullable Void nothing) {
        super.visitMemberReference(tree, null);
        if (LockApi.RELEASE.matches(tree, state)) {
            held.mayCloseElsewhere(nameOf(tree.getQualifierExpression()));
        }
        return null;
    }

    @Override
    public @Nullable Void visitVariable(VariableTree tree, @Nullable Void nothing) {
        declare(tree, false);
        return null;
    }

    private void declare(VariableTree tree, boolean resource) {
        int before = suppressedDepth;
        suppressedDepth += suppressed.test(tree) ? 1 : 0;
        scan(tree.getInitializer(), null);
        suppressedDepth = before;
        takeIfLease(tree.getInitializer(), ASTHelpers.getSymbol(tree), resource);
    }

    @Override
    public @Nullable Void visitAssignment(AssignmentTree tree, @Nullable Void nothing) {
        super.visitAssignment(tree, null);
        Symbol variable = ASTHelpers.getSymbol(tree.getVariable());
        if (variable == null) {
            mayCloseElsewhere(null, List.of(tree.getExpression())); // array elements are not tracked
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

    /** The method, if it belongs to the current class or an enclosing one and acquires or releases locks. */
    private @Nullable MethodTree ownMethod(@Nullable MethodSymbol method) {
        MethodTree body = sources.bodyOf(method);
        if (method == null || body == null || currentClass == null || !sources.usesLocks(method)) {
            return null;
        }
        return isOurs(method.owner) ? body : null;
    }

    /** Whether it is the current class or an enclosing one. */
    private boolean isOurs(Symbol type) {
        return type.equals(currentClass)
                || (currentClass != null
                        && ASTHelpers.enclosingElements(currentClass).anyMatch(type::equals));
    }

    /**
     * Whether a method that is not followed may close a lease in a field: a method of a superclass or subclass, of
     * another class of this file, or one that receives this object.
     */
    private boolean mayCloseFields(MethodInvocationTree call) {
        ExpressionTree receiver = ASTHelpers.getReceiver(call);
        MethodSymbol method = ASTHelpers.getSymbol(call);
        return sources.bodyOf(method) == null
                ? receiver == null
                        || isThis(receiver)
                        || call.getArguments().stream().anyMatch(NestingWalk::isThis)
                : sources.usesLocks(method);
    }

    private static boolean isThis(ExpressionTree tree) {
        return tree instanceof IdentifierTree name
                && (name.getName().contentEquals("this") || name.getName().contentEquals("super"));
    }

    private void follow(MethodTree method, Tree call, Map<Symbol, BoundExpression> given) {
        follow(method, ASTHelpers.getSymbol(method).owner, method.getBody(), call, given);
    }

    private void follow(
            Tree code, Symbol itsClass, @Nullable Tree body, Tree call, Map<Symbol, BoundExpression> given) {
        if (inside.contains(code) || path.size() == MAX_DEPTH || calls++ >= MAX_CALLS || suppressed.test(code)) {
            held.mayCloseFieldsElsewhere();
            return;
        }
        Map<Symbol, BoundExpression> parametersBefore = parameters;
        parameters = given;
        path.add(call);
        enter(code, itsClass, body);
        path.remove(path.size() - 1);
        parameters = parametersBefore;
        held.returnTo(path.size());
    }

    @Override
    public @Nullable Void visitLambdaExpression(LambdaExpressionTree tree, @Nullable Void nothing) {
        begin(tree);
        mayCloseAllIn(tree);
        return null;
    }

    @Override
    public @Nullable Void visitClass(ClassTree tree, @Nullable Void nothing) {
        begin(tree);
        mayCloseAllIn(tree);
        return null;
    }

    /** Code that runs later may close the leases that it can see. */
    private void mayCloseAllIn(Tree later) {
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void visitIdentifier(IdentifierTree tree, @Nullable Void nothing) {
                held.mayCloseElsewhere(ASTHelpers.getSymbol(tree));
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
                held.endVariable(ASTHelpers.getSymbol(variable));
            }
        }
        return null;
    }

    @Override
    public @Nullable Void visitTry(TryTree tree, @Nullable Void nothing) {
        HeldLocks.Paths paths = held.branch();
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
            paths.join();
        } else {
            paths.joinForFinally();
            scan(tree.getFinallyBlock(), null);
        }
        return null;
    }

    @Override
    public @Nullable Void visitIf(IfTree tree, @Nullable Void nothing) {
        scan(tree.getCondition(), null);
        HeldLocks.Paths paths = held.branch();
        Tree then = tree.getThenStatement();
        Tree otherwise = tree.getElseStatement();
        branch(paths, tree.getCondition(), true, then, otherwise);
        branch(paths, tree.getCondition(), false, otherwise, then);
        paths.join();
        return null;
    }

    /**
     * Walks a path on which the condition has this outcome. A lease that is null there is not held on the path, nor
     * after the join if no other path reaches it.
     */
    private void branch(
            HeldLocks.Paths paths,
            ExpressionTree condition,
            boolean outcome,
            @Nullable Tree branch,
            @Nullable Tree other) {
        paths.begin();
        List<HeldLock> aside = setAside(condition, outcome);
        scan(branch, null);
        if (!AbruptCompletion.completesAbruptly(other)) {
            held.bringBack(aside);
        }
        paths.end(branch);
    }

    private List<HeldLock> setAside(@Nullable ExpressionTree condition, boolean outcome) {
        List<Symbol> names = new ArrayList<>();
        AbsentLeases absence = new AbsentLeases(
                each -> values.follow(new BoundExpression(each, parameters)).tree(), state);
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
        List<HeldLock> aside = setAside(tree.getCondition(), true);
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
        HeldLocks.Paths paths = held.branch();
        jumpTargets.push(new JumpTarget(tree, paths));
        for (CaseTree each : cases) {
            paths.begin();
            scan(each, null);
            paths.end(each);
        }
        jumpTargets.pop();
        paths.begin();
        paths.end(null);
        paths.join();
        for (CaseTree each : cases) {
            List<? extends StatementTree> statements = each.getStatements();
            for (StatementTree statement : statements == null ? List.<StatementTree>of() : statements) {
                if (statement instanceof VariableTree variable) {
                    held.endVariable(ASTHelpers.getSymbol(variable));
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
                held.endVariable(ASTHelpers.getSymbol(variable));
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
        HeldLocks.Paths paths = held.branch();
        jumpTargets.push(new JumpTarget(tree, paths));
        List<HeldLock> aside = setAside(condition, true);
        scan(body, null);
        held.bringBack(aside);
        paths.end(body);
        jumpTargets.pop();
        paths.begin();
        paths.end(null);
        paths.join();
    }

    @Override
    public @Nullable Void visitLabeledStatement(LabeledStatementTree tree, @Nullable Void nothing) {
        HeldLocks.Paths paths = held.branch();
        jumpTargets.push(new JumpTarget(tree, paths));
        scan(tree.getStatement(), null);
        jumpTargets.pop();
        paths.end(tree.getStatement());
        paths.join();
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
        for (JumpTarget each : jumpTargets) { // innermost first
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
