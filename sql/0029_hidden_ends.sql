-- The end of a share in a hidden place is published later (finding E5): how long somebody walked on is as good as how far.

-- When viewers learn of the end; null for at once. Until then the share is there for them, and hides where its owner is.
ALTER TABLE shares ADD COLUMN end_told_at timestamptz;

-- As in 0022; but a share that is tied to a session ends for viewers when the hub said, and where it does not know, with the session.
CREATE OR REPLACE FUNCTION share_end_with_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'session',
        -- `least` ignores nulls: alone it would hold back each end until the share expires.
        end_told_at = CASE WHEN coalesce(s.end_told_at, NEW.end_told_at) IS NOT NULL
            THEN least(coalesce(s.end_told_at, NEW.end_told_at), s.expires_at) END
    WHERE s.session_id = NEW.id AND s.ended_at IS NULL;
    RETURN NULL;
END $$;

-- As in 0022; a share whose end is not published yet opens for viewers, who get no position of it and are not in its receipt.
CREATE OR REPLACE FUNCTION share_open(share bigint, viewer bigint, hash bytea, opened timestamptz) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    known shares%ROWTYPE;
    number bigint;
BEGIN
    SELECT * INTO known FROM shares s
    WHERE s.id = share AND (s.ended_at IS NULL OR s.end_told_at > opened) AND s.expires_at > opened;
    -- Strangers lock nothing.
    IF NOT FOUND OR NOT share_visible(known, viewer, hash) THEN RETURN NULL; END IF;
    IF known.account_id = viewer THEN RETURN CASE WHEN known.ended_at IS NULL THEN 0 END; END IF;
    IF known.ended_at IS NOT NULL THEN RETURN nextval('share_openings'); END IF;
    SELECT * INTO known FROM shares s WHERE s.id = share AND s.expires_at > opened FOR NO KEY UPDATE;
    IF NOT FOUND OR NOT share_visible(known, viewer, hash) THEN RETURN NULL; END IF;
    number := nextval('share_openings');
    IF known.ended_at IS NOT NULL THEN RETURN CASE WHEN known.end_told_at > opened THEN number END; END IF;
    IF NOT share_line(share, viewer, number, known.precision, greatest(opened, known.started_at)) AND viewer IS NULL THEN
        UPDATE shares s SET more = s.more + 1 WHERE s.id = share;
    END IF;
    RETURN number;
END $$;
