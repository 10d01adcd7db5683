-- Functions of shares: visibility, the access log, and receipts.

-- MARK: Visibility

-- Name under which a viewer sees another account in shares. `is_known`: both are in the same group.
CREATE OR REPLACE FUNCTION share_name(viewer bigint, other bigint, is_known boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql STABLE COST 1000 AS $$
BEGIN
    RETURN (SELECT s.name FROM person_shown(viewer, other, is_known) s);
END $$;

-- Name of a share's group, for the owner of the share.
CREATE OR REPLACE FUNCTION share_group_name(share shares) RETURNS text LANGUAGE plpgsql STABLE COST 500 AS $$
BEGIN
    RETURN coalesce((SELECT c.name FROM members m JOIN conversations c ON c.id = m.conversation_id
        WHERE m.conversation_id = share.conversation_id AND m.account_id = share.account_id AND m.state = 'joined'), share.group_name);
END $$;

-- Whether a viewer may watch a share that has not ended. The viewer is an account (NULL for a guest), with the hash of a token (NULL for
-- none). A share with a stranger is visible after the stranger accepted the invitation.
CREATE OR REPLACE FUNCTION share_visible(share shares, viewer bigint, hash bytea) RETURNS boolean LANGUAGE plpgsql STABLE COST 1000 AS $$
BEGIN
    RETURN CASE
        WHEN share.account_id = viewer THEN true
        WHEN viewer IS NOT NULL AND is_blocked(viewer, share.account_id) THEN false
        WHEN share.audience = 'link' THEN coalesce(share.token_hash = hash, false)
        WHEN viewer IS NULL THEN false
        WHEN share.audience = 'person' THEN share.person_id = viewer AND coalesce(share.invitation, 'accepted') = 'accepted'
        WHEN share.audience = 'group' THEN EXISTS (SELECT FROM members m
            WHERE m.conversation_id = share.conversation_id AND m.account_id = viewer AND m.state = 'joined')
        -- What is for the campus is closed to provisional accounts.
        ELSE EXISTS (SELECT FROM accounts a WHERE a.id = viewer AND a.confirm_by IS NULL)
    END;
END $$;

-- Makes a share with a stranger an invitation. The rule is in the database, so that it also applies to shares that a server of a previous
-- release creates.
CREATE OR REPLACE FUNCTION share_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.audience = 'person' AND NOT person_is_buddy(NEW.account_id, NEW.person_id) THEN NEW.invitation := 'waiting'; END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER share_begins BEFORE INSERT ON shares FOR EACH ROW EXECUTE FUNCTION share_begins();

-- MARK: Access log

-- Largest number of entries for one account in the access log of a share, or for all guests.
CREATE OR REPLACE FUNCTION share_lines_max(viewer bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN viewer IS NULL THEN 1000 ELSE 50 END
$$;

-- Adds an entry to the access log, under the lock of the share's row. Beyond the limit, the account's last entry of that precision is
-- extended to the end of the share instead. So a viewer that opens a share again and again displaces no entries of other viewers, and its
-- own time stays recorded. Returns whether the function added an entry within the limit.
CREATE OR REPLACE FUNCTION share_line(share bigint, viewer bigint, number bigint, shown text, since timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM (SELECT FROM share_watches w
        WHERE w.share_id = share AND coalesce(w.account_id, 0) = coalesce(viewer, 0) AND w.opening IS NOT NULL
        LIMIT share_lines_max(viewer)) l) < share_lines_max(viewer)
    THEN
        INSERT INTO share_watches (share_id, account_id, opening, precision, from_at) VALUES (share, viewer, number, shown, since);
        RETURN true;
    END IF;
    UPDATE share_watches w SET opening = 0, to_at = NULL, times = w.times + 1 WHERE w.id = (
        SELECT l.id FROM share_watches l
        WHERE l.share_id = share AND coalesce(l.account_id, 0) = coalesce(viewer, 0) AND l.opening IS NOT NULL AND l.precision = shown
        ORDER BY l.id DESC LIMIT 1);
    IF NOT FOUND THEN
        INSERT INTO share_watches (share_id, account_id, opening, precision, from_at) VALUES (share, viewer, 0, shown, since);
    END IF;
    RETURN false;
END $$;

-- Opens a share for a connection. The function writes the entry in the access log before the server sends anything. It holds the lock of
-- the share's row, so that no entry is open after the share has ended. If the end of a share is not published yet, the share opens with an
-- entry like any other, but its viewers receive no location. Returns the number of the opening; 0 for the owner until the share ends; NULL
-- without access.
CREATE OR REPLACE FUNCTION share_open(share bigint, viewer bigint, hash bytea, opened timestamptz) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    known shares%ROWTYPE;
    number bigint;
BEGIN
    SELECT * INTO known FROM shares s
    WHERE s.id = share AND (s.ended_at IS NULL OR s.end_published_at > opened) AND s.expires_at > opened;
    -- This check comes before the lock, so that a request without access locks nothing.
    IF NOT FOUND OR NOT share_visible(known, viewer, hash) THEN RETURN NULL; END IF;
    IF known.account_id = viewer THEN RETURN CASE WHEN known.ended_at IS NULL THEN 0 END; END IF;
    SELECT * INTO known FROM shares s
    WHERE s.id = share AND (s.ended_at IS NULL OR s.end_published_at > opened) AND s.expires_at > opened FOR NO KEY UPDATE;
    IF NOT FOUND OR NOT share_visible(known, viewer, hash) THEN RETURN NULL; END IF;
    number := nextval('share_openings');
    IF NOT share_line(share, viewer, number, known.precision, greatest(opened, known.started_at)) AND viewer IS NULL
        AND known.ended_at IS NULL
    THEN
        UPDATE shares s SET more = s.more + 1 WHERE s.id = share;
    END IF;
    RETURN number;
END $$;

-- Keeps the access log up to date when a share ends or changes its precision. A new precision begins new entries.
--
-- An entry says what its viewer saw. If the end of a share is published later, the entry stays open until viewers learn of the end, and
-- share_viewers ends it earlier for the owner. Therefore a viewer's own entries do not reveal when such a share ended.
CREATE OR REPLACE FUNCTION share_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    closed record;
BEGIN
    IF NEW.ended_at IS NOT NULL THEN
        IF NEW.end_published_at > NEW.ended_at THEN RETURN NULL; END IF;
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
CREATE OR REPLACE TRIGGER share_changed AFTER UPDATE OF ended_at, precision ON shares FOR EACH ROW
    WHEN (OLD.ended_at IS NULL AND (NEW.ended_at IS NOT NULL OR NEW.precision <> OLD.precision)) EXECUTE FUNCTION share_changed();

-- Closes the entries when a delayed end is published.
CREATE OR REPLACE FUNCTION share_end_published() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE share_watches w SET to_at = greatest(NEW.end_published_at, w.from_at) WHERE w.share_id = NEW.id AND w.to_at IS NULL;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_end_published AFTER UPDATE OF is_end_published ON shares FOR EACH ROW
    WHEN (NOT OLD.is_end_published AND NEW.is_end_published AND NEW.end_published_at > NEW.ended_at) EXECUTE FUNCTION share_end_published();

CREATE OR REPLACE FUNCTION share_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := nextval('share_versions');
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER share_version BEFORE UPDATE OF ended_at, precision, expires_at ON shares FOR EACH ROW
    EXECUTE FUNCTION share_version();

-- MARK: Receipts

-- Viewers that a share's owner may see, and their times. Guests of a link and buddies are listed with times. Members of the share's group
-- are listed without times. Other viewers are listed without times, and only after the end. Strangers who saw a share with the campus are
-- never listed, because otherwise an owner who shares with everybody for a moment would learn which accounts have the map open.
CREATE OR REPLACE FUNCTION share_viewers(number bigint)
RETURNS TABLE (
    id bigint, account_id bigint, opening bigint, "precision" text, from_at timestamptz, to_at timestamptz, times integer, loose boolean)
LANGUAGE sql STABLE ROWS 100 AS $$
    SELECT w.id, w.account_id, w.opening, w.precision,
        CASE WHEN v.has_times THEN w.from_at ELSE s.started_at END,
        CASE WHEN NOT v.has_times THEN s.ended_at
            WHEN s.end_published_at > s.ended_at THEN least(w.to_at, s.ended_at) ELSE w.to_at END,
        CASE WHEN v.has_times THEN w.times ELSE 1 END, NOT v.has_times OR coalesce(w.opening, 0) = 0
    FROM shares s JOIN (
        SELECT l.*, row_number() OVER (PARTITION BY l.account_id, l.precision ORDER BY l.id) AS nth FROM share_watches l
        WHERE l.share_id = number) w ON true
    CROSS JOIN LATERAL (SELECT w.account_id IS NULL OR person_is_buddy(s.account_id, w.account_id)) v (has_times)
    WHERE s.id = number
        AND (v.has_times OR w.nth = 1 AND (s.audience = 'group' OR s.audience <> 'campus' AND s.ended_at IS NOT NULL))
        -- Leaves out entries that began after an end that was not published yet.
        AND (s.end_published_at > s.ended_at AND w.from_at > s.ended_at) IS NOT TRUE
$$;

-- Number of strangers who saw a share with the campus that has ended, rounded down to a multiple of five. There is a number only if the
-- share lasted at least an hour.
CREATE OR REPLACE FUNCTION share_strangers(number bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT (s.more + (SELECT count(DISTINCT w.account_id) FROM share_watches w
            WHERE w.share_id = s.id AND NOT person_is_buddy(s.account_id, w.account_id))) / 5 * 5
    FROM shares s WHERE s.id = number AND s.audience = 'campus' AND s.ended_at >= s.started_at + interval '1 hour'
$$;
