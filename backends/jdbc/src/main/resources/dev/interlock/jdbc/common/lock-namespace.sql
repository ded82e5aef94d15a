SELECT agreement, token_floor FROM interlock_namespace WHERE namespace = ? FOR UPDATE
