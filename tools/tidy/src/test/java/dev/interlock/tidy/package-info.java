/**
 * Checks of the repository itself: what a formatter and a compiler do not see, and a reader does.
 *
 * <p>Each rule is a class that returns its findings as sentences; {@link dev.interlock.tidy.TidyTest} runs all of them.
 */
package dev.interlock.tidy;
