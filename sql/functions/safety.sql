-- Functions of blocks. A block holds in both directions.

-- A row for each block between two accounts, in either direction. PostgreSQL inlines the function, so that a condition
-- `EXISTS (SELECT FROM blocks_between(…))` costs two lookups in the primary key.
CREATE OR REPLACE FUNCTION blocks_between(one bigint, other bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT b.blocker_id FROM blocks b WHERE b.is_on AND b.blocker_id = one AND b.blocked_id = other
    UNION ALL SELECT b.blocker_id FROM blocks b WHERE b.is_on AND b.blocker_id = other AND b.blocked_id = one
$$;

-- Accounts that an account blocks or that block it. Inlined as well.
CREATE OR REPLACE FUNCTION blocks_of(account bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT b.blocked_id FROM blocks b WHERE b.is_on AND b.blocker_id = account
    UNION ALL SELECT b.blocker_id FROM blocks b WHERE b.is_on AND b.blocked_id = account
$$;

-- Whether one of two accounts blocks the other. Because of the cost, PostgreSQL checks other conditions first.
CREATE OR REPLACE FUNCTION is_blocked(one bigint, other bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 500 AS $$
BEGIN
    RETURN EXISTS (SELECT FROM blocks_between(one, other));
END $$;
