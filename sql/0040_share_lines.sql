-- What viewers and owners of shares learn from what is stored of them (findings E2, E5, E7).

-- MARK: lines of viewers

-- A line of share_watches says what its viewer saw: of a share whose end is published later it goes on until viewers learn of the end. The
-- owner's receipt cuts it off at the end (share_viewers). So nothing that a viewer reads of its own lines tells when such a share ended.
CREATE OR REPLACE FUNCTION share_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    closed record;
BEGIN
    IF NEW.ended_at IS NOT NULL THEN
        IF NEW.end_told_at > NEW.ended_at THEN RETURN NULL; END IF;
        UPDATE share_watches w SET to_at = greatest(NEW.ended_at, w.from_at) WHERE w.share_id = NEW.id AND w.to_at IS NULL;
    ELSE
        FOR closed IN
            WITH closed AS (
                UPDATE share_watches w SET to_at = greatest(NEW.chosen_at, w.from_at) WHERE w.share_id = NEW.id AND w.to_at IS NULL
                RETURNING w.id, w.account_id, w.opening)
            SELECT * FROM closed c WHERE c.opening IS NOT NULL ORDER BY c.id
        LOOP
            PERFORM share_line(NEW.id, closed.account_id, closed.opening, NEW.precision, NEW.chosen_at);
        END LOOP;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION share_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE share_watches w SET to_at = greatest(NEW.end_told_at, w.from_at) WHERE w.share_id = NEW.id AND w.to_at IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER share_told AFTER UPDATE OF is_told ON shares FOR EACH ROW
WHEN (NOT OLD.is_told AND NEW.is_told AND NEW.end_told_at > NEW.ended_at) EXECUTE FUNCTION share_told();

UPDATE share_watches w SET to_at = CASE WHEN s.end_told_at <= now() THEN greatest(s.end_told_at, w.from_at) END
FROM shares s WHERE s.id = w.share_id AND s.end_told_at > s.ended_at AND w.to_at >= s.ended_at;

-- As in 0029; who opens a share whose end is not published yet has a line like everybody else.
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
    SELECT * INTO known FROM shares s
    WHERE s.id = share AND (s.ended_at IS NULL OR s.end_told_at > opened) AND s.expires_at > opened FOR NO KEY UPDATE;
    IF NOT FOUND OR NOT share_visible(known, viewer, hash) THEN RETURN NULL; END IF;
    number := nextval('share_openings');
    IF NOT share_line(share, viewer, number, known.precision, greatest(opened, known.started_at)) AND viewer IS NULL
        AND known.ended_at IS NULL
    THEN
        UPDATE shares s SET more = s.more + 1 WHERE s.id = share;
    END IF;
    RETURN number;
END $$;

-- MARK: who is acquainted

-- Accounts are acquainted as matched buddies alone. Whoever gets somebody into a group has not got their consent to more than the group: a
-- share with one person of it is an invitation, and members of a group are known to each other in what is shared with the group only.
CREATE OR REPLACE FUNCTION share_acquainted(one bigint, other bigint) RETURNS boolean LANGUAGE sql STABLE COST 500 AS $$
    SELECT EXISTS (SELECT FROM buddies b WHERE b.low_id = least(one, other) AND b.high_id = greatest(one, other))
$$;
UPDATE shares SET invitation = 'waiting'
WHERE ended_at IS NULL AND audience = 'person' AND invitation IS NULL AND NOT share_acquainted(account_id, person_id);

-- MARK: receipts

-- The viewers that a share's owner may see, and when. Guests of a link and buddies with their times; members of the share's group without;
-- of others without times and when the share is over, but of a campus-wide share never: whoever shares with everybody for a moment would
-- learn who has the map open.
CREATE OR REPLACE FUNCTION share_viewers(number bigint)
RETURNS TABLE (
    id bigint, account_id bigint, opening bigint, "precision" text, from_at timestamptz, to_at timestamptz, times integer, loose boolean)
LANGUAGE sql STABLE ROWS 100 AS $$
    SELECT w.id, w.account_id, w.opening, w.precision,
        CASE WHEN v.has_times THEN w.from_at ELSE s.started_at END,
        CASE WHEN NOT v.has_times THEN s.ended_at
            WHEN s.end_told_at > s.ended_at THEN least(w.to_at, s.ended_at) ELSE w.to_at END,
        CASE WHEN v.has_times THEN w.times ELSE 1 END, NOT v.has_times OR coalesce(w.opening, 0) = 0
    FROM shares s JOIN (
        SELECT l.*, row_number() OVER (PARTITION BY l.account_id, l.precision ORDER BY l.id) AS nth FROM share_watches l
        WHERE l.share_id = number) w ON true
    CROSS JOIN LATERAL (SELECT w.account_id IS NULL OR share_acquainted(s.account_id, w.account_id)) v (has_times)
    WHERE s.id = number
        AND (v.has_times OR w.nth = 1 AND (s.audience = 'group' OR s.audience <> 'campus' AND s.ended_at IS NOT NULL))
        -- Opened behind an end that was not published yet.
        AND (s.end_told_at > s.ended_at AND w.from_at > s.ended_at) IS NOT TRUE
$$;

-- How many others saw a campus-wide share that is over: a multiple of five, and of one that lasted an hour at least.
CREATE FUNCTION share_strangers(number bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT (s.more + (SELECT count(DISTINCT w.account_id) FROM share_watches w
            WHERE w.share_id = s.id AND NOT share_acquainted(s.account_id, w.account_id))) / 5 * 5
    FROM shares s WHERE s.id = number AND s.audience = 'campus' AND s.ended_at >= s.started_at + interval '1 hour'
$$;

-- MARK: questions

-- As in 0022; of a share whose end is not published yet the lines end with a block, too, and the time until which an answer can be read
-- stays what it was: whoever asked would learn from another when it became void.
CREATE OR REPLACE FUNCTION share_end_with_block() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'blocked'
    WHERE s.account_id = NEW.blocker_id AND s.person_id = NEW.blocked_id AND s.ended_at IS NULL;
    UPDATE share_watches w SET to_at = greatest(clock_timestamp(), w.from_at) FROM shares s
    WHERE w.share_id = s.id AND w.to_at IS NULL
        AND (s.account_id, w.account_id) IN ((NEW.blocker_id, NEW.blocked_id), (NEW.blocked_id, NEW.blocker_id));
    UPDATE where_requests w SET answer = NULL
    WHERE w.state = 'answered' AND (w.from_id, w.to_id) IN ((NEW.blocker_id, NEW.blocked_id), (NEW.blocked_id, NEW.blocker_id));
    RETURN NULL;
END $$;

-- As in 0028; the same.
CREATE OR REPLACE FUNCTION share_end_with_buddies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'buddies'
    WHERE s.ended_at IS NULL AND s.audience = 'person'
        AND (s.account_id, s.person_id) IN ((OLD.low_id, OLD.high_id), (OLD.high_id, OLD.low_id));
    UPDATE where_requests w SET answer = NULL,
        expires_at = CASE WHEN w.state = 'open' THEN least(w.expires_at, clock_timestamp()) ELSE w.expires_at END
    WHERE w.state IN ('open', 'answered') AND (w.from_id, w.to_id) IN ((OLD.low_id, OLD.high_id), (OLD.high_id, OLD.low_id));
    RETURN NULL;
END $$;
