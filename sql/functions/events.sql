-- Functions of events.

-- Whether an event's changes concern an account: it is coming, may come, or has not answered and saved the event or is invited. PostgreSQL
-- inlines the expression.
CREATE OR REPLACE FUNCTION event_concerns(answer text, is_saved boolean, invited_at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT answer IN ('going', 'maybe') OR answer IS NULL AND (is_saved OR invited_at IS NOT NULL)
$$;

-- Whether an account may see an event; a NULL account is a guest. A block hides events of the other account, except events for the campus.
--
-- Because of the cost, PostgreSQL checks this function after all other conditions. A greater cost would cause compilation (jit), which
-- takes longer.
CREATE OR REPLACE FUNCTION event_visible(event events, viewer bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 1000 AS $$
BEGIN
    RETURN CASE
        WHEN event.owner_id = viewer THEN true
        WHEN event.state = 'draft' THEN false
        WHEN event.audience = 'campus' THEN true
        WHEN viewer IS NULL THEN false
        WHEN EXISTS (SELECT FROM blocks_between(viewer, event.owner_id)) THEN false
        -- What is for everybody on campus is closed to provisional accounts, unless they are invited.
        WHEN event.audience = 'public' AND EXISTS (SELECT FROM accounts a WHERE a.id = viewer AND a.confirm_by IS NULL) THEN true
        ELSE EXISTS (SELECT FROM event_people p WHERE p.event_id = event.id AND p.account_id = viewer AND p.invited_at IS NOT NULL)
    END;
END $$;

-- Whether an account organises an event or has a place in it, and may see it.
CREATE OR REPLACE FUNCTION event_includes(event events, account bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 1000 AS $$
BEGIN
    RETURN event_visible(event, account) AND (event.owner_id = account OR EXISTS (
        SELECT FROM event_people p
        WHERE p.event_id = event.id AND p.account_id = account AND p.answer IN ('going', 'maybe') AND NOT p.is_waiting));
END $$;

-- MARK: Answers

-- Moves accounts up from the waiting list while the event has room, and counts the answers again. The caller holds the lock of the
-- event's row. Nobody loses a confirmed participation: after the capacity was reduced, nobody moves up until there is room again. Returns
-- the accounts that moved up, except the account that is answering; the returned accounts are notified.
CREATE OR REPLACE FUNCTION event_settle(event bigint, answering bigint DEFAULT NULL) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    room integer;
    moved bigint[];
BEGIN
    SELECT e.capacity - (SELECT count(*) FROM event_people p WHERE p.event_id = event AND p.answer = 'going' AND NOT p.is_waiting)
    INTO room FROM events e WHERE e.id = event;
    WITH first AS (
        SELECT p.account_id FROM event_people p WHERE p.event_id = event AND p.is_waiting
        ORDER BY p.queue LIMIT CASE WHEN room IS NULL THEN NULL ELSE greatest(room, 0) END),
    up AS (
        UPDATE event_people p SET is_waiting = false, queue = NULL FROM first f
        WHERE p.event_id = event AND p.account_id = f.account_id RETURNING p.account_id)
    SELECT coalesce(array_agg(u.account_id), '{}') INTO moved FROM up u;
    moved := array_remove(moved, answering);
    UPDATE events e SET going = c.going, maybe = c.maybe, waiting = c.waiting
    FROM (SELECT count(*) FILTER (WHERE p.answer = 'going' AND NOT p.is_waiting) AS going,
            count(*) FILTER (WHERE p.answer = 'maybe') AS maybe, count(*) FILTER (WHERE p.is_waiting) AS waiting
        FROM event_people p WHERE p.event_id = event) c
    WHERE e.id = event;
    INSERT INTO event_news (event_id, account_id, news)
    SELECT event, m, 'movedUp' FROM unnest(moved) m WHERE EXISTS (SELECT FROM events e WHERE e.id = event);
    RETURN moved;
END $$;

-- Records an answer to an invitation, or to an event that the account may see. A repeated answer changes nothing, so the account keeps its
-- position on the waiting list. Returns the reason for a refusal, and the other accounts that moved up.
CREATE OR REPLACE FUNCTION event_answer(event_id bigint, account bigint, new_answer text, answered timestamptz, OUT refusal text,
    OUT moved bigint[])
LANGUAGE plpgsql AS $$
DECLARE
    known events%ROWTYPE;
    old event_people%ROWTYPE;
BEGIN
    moved := '{}';
    SELECT * INTO known FROM events e WHERE e.id = event_answer.event_id FOR NO KEY UPDATE;
    IF NOT FOUND OR NOT event_visible(known, account) THEN refusal := 'notFound'; RETURN; END IF;
    refusal := CASE WHEN known.state = 'draft' THEN 'draft' WHEN known.state = 'cancelled' THEN 'cancelled'
        WHEN known.ends_at <= answered THEN 'over' END;
    IF refusal IS NOT NULL THEN RETURN; END IF;
    SELECT * INTO old FROM event_people p WHERE p.event_id = known.id AND p.account_id = account;
    IF old.answer IS NOT DISTINCT FROM new_answer THEN RETURN; END IF;
    -- The account goes to the end of the waiting list. If the event has room, event_settle moves the account up in this transaction.
    INSERT INTO event_people AS p (event_id, account_id, answer, is_waiting, queue, answered_at)
    VALUES (known.id, account, new_answer, coalesce(new_answer = 'going', false),
        CASE WHEN new_answer = 'going' THEN nextval('event_queue') END, answered)
    ON CONFLICT ON CONSTRAINT event_people_pkey DO UPDATE SET answer = excluded.answer, is_waiting = excluded.is_waiting,
        queue = excluded.queue, answered_at = excluded.answered_at;
    moved := event_settle(known.id, account);
END $$;

-- Gives the room that a deleted answer leaves to the waiting list. If the event is deleted as well, the function does nothing.
CREATE OR REPLACE FUNCTION event_free_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM events e WHERE e.id = OLD.event_id FOR NO KEY UPDATE;
    IF FOUND THEN PERFORM event_settle(OLD.event_id); END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER event_free_place AFTER DELETE ON event_people FOR EACH ROW WHEN (OLD.answer IS NOT NULL)
    EXECUTE FUNCTION event_free_place();

-- MARK: Blocks and deleted accounts

-- Separates two accounts after a block. Each account leaves the events that the other owns, except those for the campus, and accounts on
-- the waiting lists move up. Invitations of one account by the other are withdrawn.
CREATE OR REPLACE FUNCTION event_part(one bigint, other bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM events e WHERE e.audience <> 'campus' AND EXISTS (
        SELECT FROM event_people p WHERE p.event_id = e.id AND (e.owner_id, p.account_id) IN ((one, other), (other, one)))
        AND e.owner_id IN (one, other)
    ORDER BY e.id FOR NO KEY UPDATE;
    DELETE FROM event_people p USING events e
    WHERE e.id = p.event_id AND e.audience <> 'campus' AND e.owner_id IN (one, other)
        AND (e.owner_id, p.account_id) IN ((one, other), (other, one));
    UPDATE event_people p SET invited_by = NULL, invited_at = NULL
    WHERE (p.account_id, p.invited_by) IN ((one, other), (other, one));
END $$;

-- Removes an account from events before the account is deleted. Its events with other people that are not over are cancelled: the people
-- are notified, and of the account's texts only the title stays. Its notices to people of its own events are withdrawn. Its other events
-- and its drafts are deleted; its events for the campus stay.
CREATE OR REPLACE FUNCTION event_leave(account bigint, left_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Locks every event that this function changes, in the order of ids and before any other lock. event_answer locks the event's row first
    -- as well.
    PERFORM FROM events e
    WHERE e.owner_id = account OR e.id IN (SELECT p.event_id FROM event_people p WHERE p.account_id = account)
    ORDER BY e.id FOR NO KEY UPDATE;
    PERFORM notice_withdraw(ARRAY(
        SELECT n.id FROM notices n JOIN events e ON e.id = n.event_id AND e.audience <> 'campus' WHERE n.author_id = account), left_at);
    UPDATE notices n SET title = 'Withdrawn', body = NULL WHERE n.author_id = account AND n.kind = 'event'
        AND NOT EXISTS (SELECT FROM events e WHERE e.id = n.event_id AND e.audience = 'campus');
    WITH kept AS (
        SELECT e.id, e.state FROM events e WHERE e.owner_id = account AND e.audience <> 'campus' AND e.state <> 'draft'
            AND e.ends_at > left_at AND EXISTS (SELECT FROM event_people p WHERE p.event_id = e.id AND p.account_id <> account
                AND event_concerns(p.answer, p.is_saved, p.invited_at))),
    cancelled AS (
        UPDATE events e SET owner_id = NULL, state = 'cancelled', description = NULL, workout = NULL, place = '-',
            position = NULL, zone_id = NULL, changed_at = left_at,
            revision = e.revision + CASE k.state WHEN 'published' THEN 1 ELSE 0 END,
            cancel_reason = CASE k.state WHEN 'published' THEN 'Whoever made it has left.' END
        FROM kept k WHERE e.id = k.id RETURNING e.id, k.state)
    INSERT INTO event_news (event_id, news) SELECT c.id, 'cancelled' FROM cancelled c WHERE c.state = 'published';
    DELETE FROM events e WHERE e.owner_id = account AND (e.audience <> 'campus' OR e.state = 'draft');
END $$;

-- Does nothing if the server called event_leave before, with its own time.
CREATE OR REPLACE FUNCTION event_forget_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM event_leave(OLD.id, now());
    RETURN OLD;
END $$;
CREATE OR REPLACE TRIGGER event_forget_account BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION event_forget_account();
