UPDATE interlock_namespace SET agreement = ? WHERE namespace = ?
