/**
 * Runs with clients in the test's own JVM whose history is judged: for faults that need to know what exactly is on its way.
 *
 * <p>A {@link dev.interlock.testkit.judged.JudgedClient} writes down what it asks before it asks, and what it heard before it acts; the
 * {@link dev.interlock.testkit.judged.JudgedRun} looks at every key at rest and lets the history checker decide.
 */
@NullMarked
package dev.interlock.testkit.judged;

import org.jspecify.annotations.NullMarked;
