/**
 * A TCP proxy that breaks the network between a client and a server, on purpose and on record.
 *
 * <p>The packet tools of an operating system need rights and know nothing of requests and replies. {@link
 * dev.interlock.testkit.faults.FaultProxy} runs inside the test, can tell one request from the next ({@link
 * dev.interlock.testkit.faults.Framing}), and counts what it did, so that a test can show that its fault really happened.
 *
 * <pre>
 *   client ── socket ── [ Flow TO_SERVER: split → rules → queue ] ── socket ── server
 *                       [ Flow TO_CLIENT: queue ← rules ← split ]
 * </pre>
 *
 * <p>All traffic of one proxy runs on one thread, its {@code Loop}. A fault is a {@code Rule} that is asked about each message as
 * it comes in and about each write; only that thread asks, so rules and flows need no locks. Calls from tests are handed to
 * the thread and return when they are in force.
 */
@NullMarked
package dev.interlock.testkit.faults;

import org.jspecify.annotations.NullMarked;
