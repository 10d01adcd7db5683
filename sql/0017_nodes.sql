-- Servers over one database: the keys that seal their messages, and their runs.

-- For the server's role alone: a key lets its holder speak as a server of this campus. The newest key that is 15 s old seals messages, and
-- all keys are accepted, so every server has read a key before the first message that is sealed with it arrives.
CREATE TABLE node_keys (
    number     smallint PRIMARY KEY CHECK (number BETWEEN 0 AND 255),
    key        bytea NOT NULL CHECK (octet_length(key) = 32),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
REVOKE ALL ON node_keys FROM PUBLIC;
-- The first key, made as node_key_rotate() makes the others.
INSERT INTO node_keys (number, key)
VALUES (1, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

-- One row for each run of a server, which updates it every few seconds. By these rows servers detect another one with the same name, or one
-- without a connection to the others.
CREATE TABLE nodes (
    run        text PRIMARY KEY,
    name       text NOT NULL,
    has_bus    boolean NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
