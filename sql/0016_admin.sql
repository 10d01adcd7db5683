-- Audit log. It has the names of accounts at the time of the action, and no references to accounts, because entries outlive accounts.

CREATE TABLE audit_log (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT now(),
    -- NULL for the operator.
    actor_id     bigint,
    actor_name   text NOT NULL,
    action       text NOT NULL CHECK (action ~ '^[a-z]+\.[a-zA-Z]+$'),
    subject_kind text,
    subject_id   bigint,
    subject_name text,
    details      jsonb NOT NULL DEFAULT '{}',
    address      text
);
-- The migrator reads this comment: the server's role may only insert and read rows.
COMMENT ON TABLE audit_log IS 'append-only';
CREATE INDEX audit_log_actor ON audit_log (actor_id, id);
CREATE INDEX audit_log_subject ON audit_log (subject_id, id) WHERE subject_kind = 'user';
CREATE INDEX audit_log_action ON audit_log (action text_pattern_ops, id);
CREATE INDEX audit_log_at ON audit_log (at);
