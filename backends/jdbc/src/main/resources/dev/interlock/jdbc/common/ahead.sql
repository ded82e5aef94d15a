-- How many are at most ahead of these waiters: places are given in order, and whoever left has left a gap.
SELECT w.name, w.owner, w.place - (SELECT MIN(f.place) FROM interlock_waiter f WHERE f.namespace = w.namespace AND f.name = w.name)
FROM interlock_waiter w WHERE w.namespace = ? AND w.name IN (${names}) AND w.owner IN (${owners})
