-- Functions of nodes.

-- Makes a new key, keeps the newest of the old ones, and deletes the others. To end a key that became known, call the function twice, half
-- a minute apart. gen_random_uuid has 122 random bits of PostgreSQL's cryptographic generator; three of them make a key of 256 bits.
CREATE OR REPLACE FUNCTION node_key_rotate() RETURNS smallint LANGUAGE sql AS $$
    WITH made AS (
        INSERT INTO node_keys (number, key)
        SELECT (coalesce((SELECT k.number FROM node_keys k ORDER BY k.created_at DESC LIMIT 1), 0) + 1) % 256,
            sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
        RETURNING number),
    ended AS (
        DELETE FROM node_keys WHERE number NOT IN (SELECT k.number FROM node_keys k ORDER BY k.created_at DESC LIMIT 1))
    SELECT number FROM made
$$;
-- The migrator revokes execution by PUBLIC from functions with this comment, also after a restore, because backups have no privileges.
COMMENT ON FUNCTION node_key_rotate() IS 'owner only: makes a key of the servers';
