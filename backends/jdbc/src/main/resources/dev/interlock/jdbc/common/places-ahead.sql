-- An upper bound for the number of waiters ahead of each given waiter. Places are numbered in order of arrival; a
-- waiter that left leaves a gap.
SELECT w.name, w.owner,
  w.place - (SELECT MIN(f.place) FROM interlock_waiter f WHERE f.namespace = w.namespace AND f.name = w.name)
FROM interlock_waiter w WHERE w.namespace = ? AND w.name IN (${names}) AND w.owner IN (${owners})
