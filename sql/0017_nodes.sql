-- Servers that use one database: the keys that seal their messages, and their runs.

-- Keys of the servers, for the server's role only, because the holder of a key can send messages as a server of this campus. A server seals
-- with the newest key that is at least 15 s old, and accepts messages sealed with any of the keys. So every server has read a key before
-- the first message that is sealed with it arrives.
CREATE TABLE node_keys (
    number     smallint PRIMARY KEY CHECK (number BETWEEN 0 AND 255),
    key        bytea NOT NULL CHECK (octet_length(key) = 32),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
REVOKE ALL ON node_keys FROM PUBLIC;
-- The first key, made in the same way as in node_key_rotate().
INSERT INTO node_keys (number, key)
VALUES (1, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

-- Runs of servers, one row for each. A running server updates its row every few seconds. From these rows, servers detect another server
-- with the same name, or one without a connection to the others.
CREATE TABLE nodes (
    run        text PRIMARY KEY,
    name       text NOT NULL,
    has_bus    boolean NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
