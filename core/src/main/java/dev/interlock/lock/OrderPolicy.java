package dev.interlock.lock;

/** What happens when a scope would wait for a key that comes before one it holds. */
public enum OrderPolicy {
    /** The request is refused with {@link LockOrderException}. */
    REFUSE,

    /** The first time for each pair of lock types is logged, and the request goes on. */
    WARN,

    /** Nothing; two processes may wait for each other until one's patience is over. */
    ALLOW
}
