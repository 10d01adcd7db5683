-- Events go on: what is new is told at least once, calendars, lists that stay quick, and reports of events.

-- For calendars: the same for as long as the event is there, and no other server's. A client's own id could be another event's.
ALTER TABLE events ADD COLUMN uid uuid NOT NULL DEFAULT gen_random_uuid();

-- Each list reads one of these from its first event on, and what is removed is found by the last.
DROP INDEX events_by_time;
DROP INDEX events_by_end;
CREATE INDEX events_open ON events (starts_at, id) INCLUDE (ends_at) WHERE state <> 'draft' AND audience <> 'private';
CREATE INDEX events_campus ON events (starts_at, id) INCLUDE (ends_at) WHERE state <> 'draft' AND audience = 'campus';
CREATE INDEX events_by_end ON events (ends_at);
-- Rows that say nothing any more.
CREATE INDEX event_people_empty ON event_people (event_id, account_id)
    WHERE answer IS NULL AND NOT is_saved AND invited_at IS NULL;

-- One blocks the other.
CREATE FUNCTION event_parted(one bigint, other bigint) RETURNS boolean LANGUAGE sql STABLE COST 500 AS $$
    SELECT EXISTS (SELECT FROM blocks b WHERE b.is_on AND b.blocker_id = one AND b.blocked_id = other)
        OR EXISTS (SELECT FROM blocks b WHERE b.is_on AND b.blocker_id = other AND b.blocked_id = one)
$$;

-- Asked last, of what is wanted for all other reasons. Not more than that: what seems dear is compiled first (jit), which takes longer.
ALTER FUNCTION event_visible(events, bigint) COST 1000;

-- What is to be told: written by the transaction that makes it so, and removed when it was told. Who moves up may be about to go in
-- another transaction, which waits for this one: a reference to the account would wait for that. Whoever tells looks who is there.
CREATE TABLE event_news (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id   bigint NOT NULL REFERENCES events ON DELETE CASCADE,
    -- To whom; null is all who have to do with the event.
    account_id bigint,
    news       text NOT NULL CHECK (news IN ('invited', 'changed', 'cancelled', 'movedUp')),
    -- Who did it, who is not told; null is nobody.
    author_id  bigint,
    at         timestamptz NOT NULL DEFAULT now(),
    -- Somebody tells it until then; if it is still here, somebody else does.
    due_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX event_news_of_event ON event_news (event_id);

-- As in 0013, and whoever moves up is to be told, but not who answers and sees it.
DROP FUNCTION event_settle(bigint);
CREATE FUNCTION event_settle(event bigint, answering bigint DEFAULT NULL) RETURNS bigint[] LANGUAGE plpgsql AS $$
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

-- As in 0013, but for who is told.
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
    -- At the end of the queue; there is room for it at once when there is room at all.
    INSERT INTO event_people AS p (event_id, account_id, answer, is_waiting, queue, answered_at)
    VALUES (known.id, account, new_answer, coalesce(new_answer = 'going', false),
        CASE WHEN new_answer = 'going' THEN nextval('event_queue') END, answered)
    ON CONFLICT ON CONSTRAINT event_people_pkey DO UPDATE SET answer = excluded.answer, is_waiting = excluded.is_waiting,
        queue = excluded.queue, answered_at = excluded.answered_at;
    moved := event_settle(known.id, account);
END $$;

-- As in 0013; where the event goes as well there is no place to be had.
CREATE OR REPLACE FUNCTION event_free_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM events e WHERE e.id = OLD.event_id FOR NO KEY UPDATE;
    IF FOUND THEN PERFORM event_settle(OLD.event_id); END IF;
    RETURN NULL;
END $$;

-- Who has a calendar that programs fetch by a secret address. Only the token's SHA-256 is kept.
CREATE TABLE calendar_feeds (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE,
    made_at    timestamptz NOT NULL DEFAULT now()
);

-- A report may be about an event: what it said then. Its bytes count like the rest.
ALTER TABLE reports DROP COLUMN bytes, ADD COLUMN event json;
ALTER TABLE reports ADD COLUMN bytes bigint NOT NULL GENERATED ALWAYS AS (
    octet_length(evidence::text) + coalesce(octet_length(note), 0) + coalesce(octet_length(resolution), 0)
    + coalesce(octet_length(event::text), 0)) STORED;
