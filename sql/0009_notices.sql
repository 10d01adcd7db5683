-- Notices (N-7, U-7): audiences, times and receipts. All publications, corrections and withdrawals form one log, whose head is the row
-- `notices` of `topics`. Transactions append to the log under that row's lock, so that the offsets follow the order of the commits with any
-- number of servers. The server determines the recipients of an entry when it delivers the entry.

CREATE TABLE notices (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    author_id        bigint REFERENCES accounts ON DELETE SET NULL,
    -- Id that the sender chose. It identifies a notice that is sent again.
    client_id        uuid NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('campus', 'zone', 'role', 'event', 'user')),
    zone_id          bigint CHECK ((kind = 'zone') = (zone_id IS NOT NULL)),
    role             text CHECK ((kind = 'role') = (role IS NOT NULL)),
    -- NULL after the event was deleted. `notice_targets` then has the people of the event, so that they learn of the withdrawal.
    event_id         bigint REFERENCES events ON DELETE SET NULL
        CHECK (CASE WHEN kind = 'event' THEN event_id IS NOT NULL OR state = 'withdrawn' ELSE event_id IS NULL END),
    account_id       bigint REFERENCES accounts ON DELETE CASCADE CHECK ((kind = 'user') = (account_id IS NOT NULL)),
    -- Whether the author was an admin or a lecturer at the time of the publication. Blocks do not apply to an official notice, unless it is
    -- about an event.
    is_official      boolean NOT NULL DEFAULT false,
    title            text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 120),
    body             text CHECK (char_length(body) <= 4000),
    level            text NOT NULL CHECK (level IN ('info', 'important', 'emergency')),
    -- Whether the notice is, or ever was, an emergency. Such a notice ignores quiet hours, and so do its corrections and its withdrawal, at
    -- any level.
    was_emergency    boolean NOT NULL DEFAULT false,
    state            text NOT NULL DEFAULT 'scheduled' CHECK (state IN ('scheduled', 'published', 'withdrawn')),
    -- Number that grows with each entry of the log about the notice. The entry with this revision is the current one.
    revision         integer NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    publish_at       timestamptz NOT NULL,
    -- Offset of the notice's first entry in the log; NULL if it never had an entry.
    published_offset bigint,
    changed_at       timestamptz,
    expires_at       timestamptz NOT NULL CHECK (expires_at > publish_at),
    withdrawn_at     timestamptz,
    -- Revision of the correction that raised the notice to an emergency.
    raised_revision  integer,
    UNIQUE (author_id, client_id)
);
CREATE INDEX notices_due ON notices (publish_at, id) WHERE state = 'scheduled';
CREATE INDEX notices_current ON notices (published_offset DESC) WHERE state = 'published';
CREATE INDEX notices_of_author ON notices (author_id, id DESC);
CREATE INDEX notices_of_event ON notices (event_id, created_at) WHERE event_id IS NOT NULL;
CREATE INDEX notices_of_account ON notices (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX notices_by_end ON notices (expires_at);

-- Log of notices. The times in it only grow, like the offsets.
CREATE TABLE notice_log (
    at_offset     bigint PRIMARY KEY CHECK (at_offset > 0),
    notice_id     bigint NOT NULL REFERENCES notices ON DELETE CASCADE,
    kind          text NOT NULL CHECK (kind IN ('published', 'corrected', 'withdrawn')),
    revision      integer NOT NULL,
    at            timestamptz NOT NULL,
    -- Offset on the public topic of the notice's audience, for guests.
    public_offset bigint
);
CREATE INDEX notice_log_of_notice ON notice_log (notice_id);
CREATE INDEX notice_log_by_time ON notice_log (at);
INSERT INTO topics (name) VALUES ('notices');

-- Progress of the pruning of the log: entries up to the offset `through` may be missing.
CREATE TABLE notice_pruned (
    id      integer PRIMARY KEY CHECK (id = 1),
    through bigint NOT NULL DEFAULT 0
);
INSERT INTO notice_pruned (id) VALUES (1);

-- Recipients that cannot be derived later: runners who were in a zone when a notice to the zone was published, and the people of a deleted
-- event.
CREATE TABLE notice_targets (
    notice_id  bigint NOT NULL REFERENCES notices ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    PRIMARY KEY (notice_id, account_id)
);
CREATE INDEX notice_targets_of_account ON notice_targets (account_id);

CREATE TABLE notice_receipts (
    notice_id      bigint NOT NULL REFERENCES notices ON DELETE CASCADE,
    account_id     bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    received_at    timestamptz NOT NULL,
    read_at        timestamptz,
    -- Whether the account sent receipts to others at that time (`chat_settings`). No count includes receipts without this consent.
    sends_received boolean NOT NULL DEFAULT true,
    sends_read     boolean NOT NULL DEFAULT true,
    PRIMARY KEY (notice_id, account_id)
);
CREATE INDEX notice_receipts_of_account ON notice_receipts (account_id);

-- Numbers of receipts that others may count, for each notice. Triggers keep them up to date, because an admin's page of notices would
-- otherwise count millions of rows.
CREATE TABLE notice_counts (
    notice_id bigint PRIMARY KEY REFERENCES notices ON DELETE CASCADE,
    received  bigint NOT NULL,
    read      bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE zone_followers (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    zone_id    bigint NOT NULL,
    PRIMARY KEY (account_id, zone_id)
);
CREATE INDEX zone_followers_of_zone ON zone_followers (zone_id);

CREATE TABLE quiet_hours (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    from_time  text NOT NULL,
    to_time    text NOT NULL,
    time_zone  text NOT NULL
);

-- Accounts with a running session, each with the head of the log at the start of the session. The server holds back entries after that
-- offset, except emergencies.
CREATE TABLE notice_holds (
    account_id   bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    since_offset bigint NOT NULL
);
