/**
 * The in-memory backend: locks inside one process, and the reference implementation that every other backend is
 * compared with.
 *
 * <p>{@code docs/glossary.md} in the repository defines the words.
 */
@NullMarked
package dev.interlock.memory;

import org.jspecify.annotations.NullMarked;
