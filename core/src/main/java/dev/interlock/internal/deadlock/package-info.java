/**
 * What is known about who waits for whom: the order of locks that has been used, and cycles of waits. Pure code without threads or a clock, so that it can be tested
 * on its own; the engine feeds it and acts on what it says.
 */
@NullMarked
package dev.interlock.internal.deadlock;

import org.jspecify.annotations.NullMarked;
