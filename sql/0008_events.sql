-- Events (N-5, N-7, C-4): participants, notifications about changes, and calendars.

CREATE TABLE events (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id      bigint REFERENCES accounts ON DELETE SET NULL,
    -- Id that the client chose. It identifies an event that is sent again.
    client_id     uuid NOT NULL,
    -- `campus`: made by admins and lecturers, visible to everybody. `public`: visible to everybody with an account. `private`: visible to
    -- invited accounts.
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
    -- Numbers of accounts. event_settle counts them anew, under the lock of this row.
    going         integer NOT NULL DEFAULT 0,
    maybe         integer NOT NULL DEFAULT 0,
    waiting       integer NOT NULL DEFAULT 0,
    -- Number of the latest revision. It grows with each change that calendars have to take over (RFC 5545 §3.8.7.4).
    revision      integer NOT NULL DEFAULT 0,
    cancel_reason text CHECK (char_length(cancel_reason) <= 500),
    created_at    timestamptz NOT NULL,
    changed_at    timestamptz NOT NULL,
    -- Id for calendars. It is constant for the life of the event, and unique among servers. `client_id` is not unique, because another
    -- event may have the same one.
    uid           uuid NOT NULL DEFAULT gen_random_uuid(),
    UNIQUE (owner_id, client_id)
);
-- Each list of events reads one of the first two indexes, beginning at the list's first event. Upkeep finds old events by the third index.
CREATE INDEX events_open ON events (starts_at, id) INCLUDE (ends_at) WHERE state <> 'draft' AND audience <> 'private';
CREATE INDEX events_campus ON events (starts_at, id) INCLUDE (ends_at) WHERE state <> 'draft' AND audience = 'campus';
CREATE INDEX events_by_end ON events (ends_at);

-- Invitations, answers and saved events of accounts.
CREATE TABLE event_people (
    event_id    bigint NOT NULL REFERENCES events ON DELETE CASCADE,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    answer      text CHECK (answer IN ('going', 'maybe', 'no')),
    -- Whether the account is on the waiting list, which is in the order of `queue`.
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
-- Rows without content. Upkeep removes them.
CREATE INDEX event_people_empty ON event_people (event_id, account_id)
    WHERE answer IS NULL AND NOT is_saved AND invited_at IS NULL;
CREATE SEQUENCE event_queue AS bigint;

-- Outbox of notifications about events. The transaction that makes a change inserts the row, and a server deletes the row after it has
-- notified the recipients. Therefore each notification is sent at least once.
--
-- The table has no foreign key to accounts. With a key, a transaction that moves an account up would wait for another transaction that
-- deletes the account, and the second would wait for the first. The sender checks which accounts exist.
CREATE TABLE event_news (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id   bigint NOT NULL REFERENCES events ON DELETE CASCADE,
    -- Recipient; NULL for all people of the event.
    account_id bigint,
    news       text NOT NULL CHECK (news IN ('invited', 'changed', 'cancelled', 'movedUp')),
    -- Account that made the change, which is not notified; NULL for none.
    author_id  bigint,
    at         timestamptz NOT NULL DEFAULT now(),
    -- End of the time in which one server sends the notification. Another server takes a row that still exists afterwards.
    due_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX event_news_of_event ON event_news (event_id);

-- Calendars that programs fetch from a secret address. Only the SHA-256 of the address's token is stored.
CREATE TABLE calendar_feeds (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE,
    made_at    timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE calendar_feeds IS 'grant: the secret address of a calendar';
