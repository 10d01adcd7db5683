-- Shares with strangers are invitations; what ends when two stop being buddies; answers that must not outlive a wish for less (findings E2, E7, E10).

-- `waiting`, `accepted` or `declined` of a share with a stranger; null where nothing must be accepted. The owner never learns it.
ALTER TABLE shares
    ADD COLUMN invitation text CHECK (invitation IN ('waiting', 'accepted', 'declined')),
    -- The group's name when its owner left it.
    ADD COLUMN group_name text;
ALTER TABLE shares DROP CONSTRAINT shares_end_reason_check;
ALTER TABLE shares ADD CONSTRAINT shares_end_reason_check
    CHECK (end_reason IN ('stopped', 'expired', 'session', 'blocked', 'group', 'disabled', 'buddies'));
CREATE INDEX shares_waiting ON shares (person_id) WHERE invitation = 'waiting' AND ended_at IS NULL;

-- Two accounts are acquainted as matched buddies or as members of the same group. All others are strangers to each other.
CREATE FUNCTION share_acquainted(one bigint, other bigint) RETURNS boolean LANGUAGE sql STABLE COST 500 AS $$
    SELECT EXISTS (SELECT FROM buddies b WHERE b.low_id = least(one, other) AND b.high_id = greatest(one, other))
        OR EXISTS (SELECT FROM members i JOIN members u USING (conversation_id) JOIN conversations c ON c.id = conversation_id
            WHERE i.account_id = one AND u.account_id = other AND c.kind = 'group' AND i.state = 'joined' AND u.state = 'joined')
$$;

-- In the database, so that the previous release's shares are invitations, too.
CREATE FUNCTION share_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.audience = 'person' AND NOT share_acquainted(NEW.account_id, NEW.person_id) THEN NEW.invitation := 'waiting'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER share_begins BEFORE INSERT ON shares FOR EACH ROW EXECUTE FUNCTION share_begins();
UPDATE shares SET invitation = 'waiting'
WHERE ended_at IS NULL AND audience = 'person' AND NOT share_acquainted(account_id, person_id);

-- As in 0022; but a share with a stranger is visible only once it was accepted.
CREATE OR REPLACE FUNCTION share_visible(share shares, viewer bigint, hash bytea) RETURNS boolean LANGUAGE sql STABLE COST 1000 AS $$
    SELECT CASE
        WHEN share.account_id = viewer THEN true
        WHEN viewer IS NOT NULL AND event_parted(viewer, share.account_id) THEN false
        WHEN share.audience = 'link' THEN coalesce(share.token_hash = hash, false)
        WHEN viewer IS NULL THEN false
        WHEN share.audience = 'person' THEN share.person_id = viewer AND coalesce(share.invitation, 'accepted') = 'accepted'
        WHEN share.audience = 'group' THEN EXISTS (SELECT FROM members m
            WHERE m.conversation_id = share.conversation_id AND m.account_id = viewer AND m.state = 'joined')
        ELSE true
    END
$$;

-- As in 0022; the shares of somebody who leaves a group keep the name that it has now, and not those that it gets later.
CREATE OR REPLACE FUNCTION share_end_with_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET group_name = c.name FROM conversations c
    WHERE c.id = OLD.conversation_id AND s.conversation_id = OLD.conversation_id AND s.account_id = OLD.account_id;
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'group'
    WHERE s.conversation_id = OLD.conversation_id AND s.account_id = OLD.account_id AND s.ended_at IS NULL;
    RETURN NULL;
END $$;

-- What a share's owner sees its group called.
CREATE FUNCTION share_group_name(share shares) RETURNS text LANGUAGE sql STABLE COST 500 AS $$
    SELECT coalesce((SELECT c.name FROM members m JOIN conversations c ON c.id = m.conversation_id
        WHERE m.conversation_id = share.conversation_id AND m.account_id = share.account_id AND m.state = 'joined'), share.group_name)
$$;

-- The viewers that a share's owner may see, and when. Of strangers the owner sees after the end that they watched, and no times but the share's.
CREATE FUNCTION share_viewers(number bigint)
RETURNS TABLE (id bigint, account_id bigint, opening bigint, "precision" text, from_at timestamptz, to_at timestamptz, times integer, loose boolean)
LANGUAGE sql STABLE ROWS 100 AS $$
    SELECT w.id, w.account_id, w.opening, w.precision,
        CASE WHEN v.is_known THEN w.from_at ELSE s.started_at END, CASE WHEN v.is_known THEN w.to_at ELSE s.ended_at END,
        CASE WHEN v.is_known THEN w.times ELSE 1 END, NOT v.is_known OR coalesce(w.opening, 0) = 0
    FROM shares s JOIN (
        SELECT l.*, row_number() OVER (PARTITION BY l.account_id, l.precision ORDER BY l.id) AS nth FROM share_watches l
        WHERE l.share_id = number) w ON true
    CROSS JOIN LATERAL (SELECT w.account_id IS NULL OR s.audience = 'group' OR share_acquainted(s.account_id, w.account_id)) v (is_known)
    WHERE s.id = number AND (v.is_known OR s.ended_at IS NOT NULL AND w.nth = 1)
$$;

-- Former buddies are strangers: what they share with each other ends, and what one of them answered the other is void.
CREATE FUNCTION share_end_with_buddies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'buddies'
    WHERE s.ended_at IS NULL AND s.audience = 'person'
        AND (s.account_id, s.person_id) IN ((OLD.low_id, OLD.high_id), (OLD.high_id, OLD.low_id));
    UPDATE where_requests w SET answer = NULL, expires_at = least(w.expires_at, clock_timestamp())
    WHERE w.state IN ('open', 'answered') AND (w.from_id, w.to_id) IN ((OLD.low_id, OLD.high_id), (OLD.high_id, OLD.low_id));
    RETURN NULL;
END $$;
CREATE TRIGGER share_end_with_buddies AFTER DELETE ON buddies FOR EACH ROW EXECUTE FUNCTION share_end_with_buddies();

-- Answers of an account that nobody has read yet are void, as if nobody had read them in time. When is not told.
CREATE FUNCTION where_void(account bigint) RETURNS void LANGUAGE sql AS $$
    UPDATE where_requests SET answer = NULL WHERE to_id = account AND answer IS NOT NULL
$$;

-- Whoever makes a private zone or is not shown in residences any more wants less to be seen: the answers of before are void with it.
CREATE FUNCTION where_void_with_privacy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM where_void(NEW.account_id);
    RETURN NULL;
END $$;
CREATE TRIGGER where_void_with_zone AFTER INSERT OR UPDATE ON private_zones FOR EACH ROW EXECUTE FUNCTION where_void_with_privacy();
CREATE TRIGGER where_void_with_settings AFTER UPDATE OF residences ON privacy_settings FOR EACH ROW
WHEN (OLD.residences AND NOT NEW.residences) EXECUTE FUNCTION where_void_with_privacy();
