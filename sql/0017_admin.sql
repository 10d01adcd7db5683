-- What admins do: disable accounts, make them, mark places and zones; and what they did.

ALTER TABLE accounts
    ADD COLUMN disabled_at timestamptz,
    ADD COLUMN disabled_reason text CHECK (char_length(disabled_reason) <= 500);

-- Decks leave them out.
CREATE INDEX accounts_disabled ON accounts (id) WHERE disabled_at IS NOT NULL;

-- By which somebody sets the first password. Only the token's SHA-256 is kept; the row goes when it was used.
CREATE TABLE welcomes (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE,
    expires_at timestamptz NOT NULL
);

-- There is always somebody who can let others in. One change at a time, so that two admins cannot take each other's role at the same
-- moment: whoever comes second sees what the first committed. A campus that never had an admin needs none.
CREATE FUNCTION accounts_keep_admin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('campanile.admins', 0));
    IF NOT EXISTS (SELECT FROM accounts a WHERE a.id <> OLD.id AND a.role = 'admin' AND a.disabled_at IS NULL) THEN
        RAISE EXCEPTION 'the last admin stays' USING ERRCODE = 'check_violation', CONSTRAINT = 'accounts_keep_admin';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER accounts_keep_admin_change BEFORE UPDATE OF role, disabled_at ON accounts FOR EACH ROW
    WHEN (OLD.role = 'admin' AND OLD.disabled_at IS NULL AND (NEW.role <> 'admin' OR NEW.disabled_at IS NOT NULL))
    EXECUTE FUNCTION accounts_keep_admin();
CREATE TRIGGER accounts_keep_admin_removal BEFORE DELETE ON accounts FOR EACH ROW
    WHEN (OLD.role = 'admin' AND OLD.disabled_at IS NULL) EXECUTE FUNCTION accounts_keep_admin();

-- Names are as they were then, and no account is referred to: what was done stays when accounts go.
CREATE TABLE audit_log (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT now(),
    -- NULL is the operator.
    actor_id     bigint,
    actor_name   text NOT NULL,
    action       text NOT NULL CHECK (action ~ '^[a-z]+\.[a-zA-Z]+$'),
    subject_kind text,
    subject_id   bigint,
    subject_name text,
    details      jsonb NOT NULL DEFAULT '{}',
    address      text
);
-- The migrator reads this: the server's role may add rows and read them, and nothing else.
COMMENT ON TABLE audit_log IS 'append-only';
CREATE INDEX audit_log_actor ON audit_log (actor_id, id);
CREATE INDEX audit_log_subject ON audit_log (subject_id, id) WHERE subject_kind = 'user';
CREATE INDEX audit_log_action ON audit_log (action text_pattern_ops, id);
CREATE INDEX audit_log_at ON audit_log (at);

-- As the owner of the table, for the server's role, which may not remove rows: nothing that is younger than two years.
CREATE FUNCTION audit_prune(rows_max integer) RETURNS bigint LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.audit_log WHERE id IN (
            SELECT a.id FROM public.audit_log a WHERE a.at < now() - interval '24 months' ORDER BY a.at LIMIT rows_max)
        RETURNING 1)
    SELECT count(*) FROM gone
$$;

-- What an admin made or changed, an import leaves alone; what an admin removed, it does not bring back.
ALTER TABLE places
    ADD COLUMN is_own boolean NOT NULL DEFAULT false,
    ADD COLUMN is_removed boolean NOT NULL DEFAULT false,
    ADD COLUMN details text CHECK (char_length(details) <= 1000);
ALTER TABLE zones
    ADD COLUMN is_own boolean NOT NULL DEFAULT false,
    ADD COLUMN is_removed boolean NOT NULL DEFAULT false;
