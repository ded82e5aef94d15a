/**
 * A TCP proxy that injects faults between a client and a server, and counts them.
 *
 * <p>The packet tools of an operating system need privileges and know nothing of requests and replies. {@link
 * dev.interlock.testkit.faults.FaultProxy} runs inside the test, distinguishes requests ({@link
 * dev.interlock.testkit.faults.Framing}), and counts what it did, so that a test can show that its fault happened.
 *
 * <pre>
 *   client ── socket ── [ Flow TO_SERVER: split → rules → queue ] ── socket ── server
 *                       [ Flow TO_CLIENT: queue ← rules ← split ]
 * </pre>
 *
 * <p>All traffic of one proxy runs on one thread, its {@code Loop}. A fault is a {@code Rule} that is applied to each
 * arriving message and each write. Only that thread applies rules, so rules and flows need no locks. Calls from tests
 * are passed to the thread and return when they are in force.
 */
@NullMarked
package dev.interlock.testkit.faults;

import org.jspecify.annotations.NullMarked;
