-- Notices (N-7, U-7): recipients, times, receipts. All publications, corrections and withdrawals are one log, whose head is the row
-- `notices` of `topics`. It is appended to under that row's lock, so that the order of its offsets is the order of the commits with any
-- number of servers. The recipients of an entry are determined when it is delivered.

CREATE TABLE notices (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    author_id        bigint REFERENCES accounts ON DELETE SET NULL,
    -- The sender's id: a notice that is sent again is the same notice.
    client_id        uuid NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('campus', 'zone', 'role', 'event', 'user')),
    zone_id          bigint CHECK ((kind = 'zone') = (zone_id IS NOT NULL)),
    role             text CHECK ((kind = 'role') = (role IS NOT NULL)),
    -- NULL when the event was deleted. Its people are then in `notice_targets`, so that they learn of the withdrawal.
    event_id         bigint REFERENCES events ON DELETE SET NULL
        CHECK (CASE WHEN kind = 'event' THEN event_id IS NOT NULL OR state = 'withdrawn' ELSE event_id IS NULL END),
    account_id       bigint REFERENCES accounts ON DELETE CASCADE CHECK ((kind = 'user') = (account_id IS NOT NULL)),
    -- The author was an admin or a lecturer when it was published. Blocks do not apply to it, unless it is about an event.
    is_official      boolean NOT NULL DEFAULT false,
    title            text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 120),
    body             text CHECK (char_length(body) <= 4000),
    level            text NOT NULL CHECK (level IN ('info', 'important', 'emergency')),
    -- It ignores quiet hours, and so do its corrections and its withdrawal, at whatever level they are.
    was_emergency    boolean NOT NULL DEFAULT false,
    state            text NOT NULL DEFAULT 'scheduled' CHECK (state IN ('scheduled', 'published', 'withdrawn')),
    -- Grows with each entry of the log about the notice. The entry with this revision is the current one.
    revision         integer NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    publish_at       timestamptz NOT NULL,
    -- Offset of its first entry in the log; NULL if it never had one.
    published_offset bigint,
    changed_at       timestamptz,
    expires_at       timestamptz NOT NULL CHECK (expires_at > publish_at),
    withdrawn_at     timestamptz,
    -- Revision of the correction that raised it to an emergency.
    raised_revision  integer,
    UNIQUE (author_id, client_id)
);
CREATE INDEX notices_due ON notices (publish_at, id) WHERE state = 'scheduled';
CREATE INDEX notices_current ON notices (published_offset DESC) WHERE state = 'published';
CREATE INDEX notices_of_author ON notices (author_id, id DESC);
CREATE INDEX notices_of_event ON notices (event_id, created_at) WHERE event_id IS NOT NULL;
CREATE INDEX notices_of_account ON notices (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX notices_by_end ON notices (expires_at);

-- Times only grow in this log, like its offsets.
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

-- Entries up to `through` may be gone from the log.
CREATE TABLE notice_pruned (
    id      integer PRIMARY KEY CHECK (id = 1),
    through bigint NOT NULL DEFAULT 0
);
INSERT INTO notice_pruned (id) VALUES (1);

-- Recipients that cannot be derived later: runners who were in a zone when a notice was published to it, and the people of a deleted event.
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
    -- Whether the account sent receipts to others at that time (`chat_settings`). Receipts without consent are in no count.
    sends_received boolean NOT NULL DEFAULT true,
    sends_read     boolean NOT NULL DEFAULT true,
    PRIMARY KEY (notice_id, account_id)
);
CREATE INDEX notice_receipts_of_account ON notice_receipts (account_id);

-- Receipts of each notice that others may count, kept by triggers: an admin's page of notices would otherwise count millions of rows.
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

-- Accounts with a running session, with the head of the log at its start: entries after that are held back.
CREATE TABLE notice_holds (
    account_id   bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    since_offset bigint NOT NULL
);
