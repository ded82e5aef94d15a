/**
 * The analysis of waits: the observed order of nested locks, and cycles of waits. Pure code without threads or a
 * clock, so that it can be tested on its own. The engine passes in what it observes and acts on the result.
 */
@NullMarked
package dev.interlock.internal.deadlock;

import org.jspecify.annotations.NullMarked;
