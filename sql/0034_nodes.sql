-- Servers over one database: the key that they seal their messages with, and who they are.

-- For the server's role alone: whoever has a key can speak as a server of this campus. The newest that is a quarter of a minute old seals;
-- all are accepted, so that all servers have read a key before the first message comes that is sealed with it.
CREATE TABLE node_keys (
    number     smallint PRIMARY KEY CHECK (number BETWEEN 0 AND 255),
    key        bytea NOT NULL CHECK (octet_length(key) = 32),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
REVOKE ALL ON node_keys FROM PUBLIC;

-- Makes a new key and keeps the one before. Called twice, half a minute apart, it ends a key that became known.
-- gen_random_uuid has 122 random bits of PostgreSQL's cryptographic generator; three of them make a key of 256.
CREATE FUNCTION node_key_rotate() RETURNS smallint LANGUAGE sql AS $$
    WITH made AS (
        INSERT INTO node_keys (number, key)
        SELECT (coalesce((SELECT k.number FROM node_keys k ORDER BY k.created_at DESC LIMIT 1), 0) + 1) % 256,
            sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
        RETURNING number),
    ended AS (
        DELETE FROM node_keys WHERE number NOT IN (SELECT k.number FROM node_keys k ORDER BY k.created_at DESC LIMIT 1))
    SELECT number FROM made
$$;
REVOKE ALL ON FUNCTION node_key_rotate() FROM PUBLIC;
SELECT node_key_rotate();

-- A row for each run of a server, which it touches every few seconds: servers find out that another has the same name, or no way to reach
-- the others.
CREATE TABLE nodes (
    run        text PRIMARY KEY,
    name       text NOT NULL,
    has_bus    boolean NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
