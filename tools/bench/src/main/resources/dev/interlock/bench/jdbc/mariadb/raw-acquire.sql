-- Assignments see the results of earlier ones, so "expires" comes last.
INSERT INTO bench_raw (name, owner, expires, token)
VALUES (?, ?, UTC_TIMESTAMP(6) + INTERVAL ? * 1000 MICROSECOND, 1)
ON DUPLICATE KEY UPDATE
  owner = IF(expires <= UTC_TIMESTAMP(6), VALUES(owner), owner),
  token = IF(expires <= UTC_TIMESTAMP(6), token + 1, token),
  expires = IF(expires <= UTC_TIMESTAMP(6), VALUES(expires), expires)
RETURNING owner, token
