UPDATE interlock_namespace SET terms = ? WHERE namespace = ?
