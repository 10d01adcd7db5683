-- Events (N-5, N-7, C-4): what happens, where and when, who made it, and who comes.

CREATE TABLE events (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id      bigint REFERENCES accounts ON DELETE SET NULL,
    -- The maker's own: an event that is made again is the same event.
    client_id     uuid NOT NULL,
    -- Everybody's, of admins and lecturers; everybody's with an account; of those who are invited.
    audience      text NOT NULL CHECK (audience IN ('campus', 'public', 'private')),
    state         text NOT NULL CHECK (state IN ('draft', 'published', 'cancelled')),
    title         text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 120),
    description   text CHECK (char_length(description) <= 2000),
    workout       text,
    starts_at     timestamptz NOT NULL,
    ends_at       timestamptz NOT NULL CHECK (ends_at > starts_at),
    place         text NOT NULL CHECK (char_length(place) BETWEEN 1 AND 120),
    position      geometry(Point, 4326),
    zone_id       bigint,
    capacity      integer CHECK (capacity > 0),
    -- Counted anew by `event_settle`, under the lock of this row.
    going         integer NOT NULL DEFAULT 0,
    maybe         integer NOT NULL DEFAULT 0,
    waiting       integer NOT NULL DEFAULT 0,
    -- Grows with each change that calendars are to take over (RFC 5545 §3.8.7.4).
    revision      integer NOT NULL DEFAULT 0,
    cancel_reason text CHECK (char_length(cancel_reason) <= 500),
    created_at    timestamptz NOT NULL,
    changed_at    timestamptz NOT NULL,
    UNIQUE (owner_id, client_id)
);
CREATE INDEX events_by_time ON events (starts_at, id) WHERE state <> 'draft';
CREATE INDEX events_by_end ON events (ends_at) WHERE state <> 'draft';

-- Who was invited, what they answered, and who keeps an event in view.
CREATE TABLE event_people (
    event_id    bigint NOT NULL REFERENCES events ON DELETE CASCADE,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    answer      text CHECK (answer IN ('going', 'maybe', 'no')),
    -- Would come if there were room; in the order of `queue`.
    is_waiting  boolean NOT NULL DEFAULT false CHECK (NOT is_waiting OR answer = 'going'),
    queue       bigint,
    invited_by  bigint REFERENCES accounts ON DELETE SET NULL,
    invited_at  timestamptz,
    is_saved    boolean NOT NULL DEFAULT false,
    answered_at timestamptz,
    PRIMARY KEY (event_id, account_id)
);
CREATE INDEX event_people_of_account ON event_people (account_id);
CREATE INDEX event_people_waiting ON event_people (event_id, queue) WHERE is_waiting;
CREATE SEQUENCE event_queue AS bigint;

-- Whether an account may see an event: NULL is a guest. Events of somebody blocked are nowhere, but for those of the campus.
CREATE FUNCTION event_visible(event events, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN event.owner_id = viewer THEN true
        WHEN event.state = 'draft' THEN false
        WHEN event.audience = 'campus' THEN true
        WHEN viewer IS NULL THEN false
        WHEN EXISTS (SELECT FROM blocks b WHERE b.is_on AND (
            (b.blocker_id = viewer AND b.blocked_id = event.owner_id)
            OR (b.blocker_id = event.owner_id AND b.blocked_id = viewer))) THEN false
        WHEN event.audience = 'public' THEN true
        ELSE EXISTS (SELECT FROM event_people p WHERE p.event_id = event.id AND p.account_id = viewer AND p.invited_at IS NOT NULL)
    END
$$;

-- Those who wait move up as far as there is room, and the counts are made anew. Under the lock of the event's row. Nobody loses a
-- place: where there is less room than before, nobody moves up until there is some. Gives who moved up.
CREATE FUNCTION event_settle(event bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
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
    UPDATE events e SET going = c.going, maybe = c.maybe, waiting = c.waiting
    FROM (SELECT count(*) FILTER (WHERE p.answer = 'going' AND NOT p.is_waiting) AS going,
            count(*) FILTER (WHERE p.answer = 'maybe') AS maybe, count(*) FILTER (WHERE p.is_waiting) AS waiting
        FROM event_people p WHERE p.event_id = event) c
    WHERE e.id = event;
    RETURN moved;
END $$;

-- Answers an invitation, or an event that is open to the account. Nothing but a repetition changes nothing: who waits keeps the place
-- in the queue. Gives why not, and who moved up.
CREATE FUNCTION event_answer(event_id bigint, account bigint, new_answer text, answered timestamptz, OUT refusal text,
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
    moved := array_remove(event_settle(known.id), account);
END $$;

-- An account goes: what it announced for the campus stays, its own events go, and its places elsewhere are free.
CREATE FUNCTION event_forget_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM events e WHERE e.owner_id = OLD.id AND e.audience <> 'campus';
    RETURN OLD;
END $$;
CREATE TRIGGER event_forget_account BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION event_forget_account();

CREATE FUNCTION event_free_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM events e WHERE e.id = OLD.event_id FOR NO KEY UPDATE;
    PERFORM event_settle(OLD.event_id);
    RETURN NULL;
END $$;
CREATE TRIGGER event_free_place AFTER DELETE ON event_people FOR EACH ROW WHEN (OLD.answer IS NOT NULL)
EXECUTE FUNCTION event_free_place();

-- One blocked the other: neither is in the other's own events any more, whoever waited there has the place, and invitations of one to
-- the other are taken back.
CREATE FUNCTION event_part(one bigint, other bigint) RETURNS void LANGUAGE plpgsql AS $$
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
