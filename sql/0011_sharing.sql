-- Shares of live locations (N-2, B-4, B-5): audience, precision, expiry, and the access log. None of these tables has locations, except the
-- answer to a question until the asker reads it.

CREATE SEQUENCE share_versions AS bigint;
CREATE TABLE shares (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id       uuid NOT NULL,
    audience        text NOT NULL CHECK (audience IN ('person', 'group', 'campus', 'link')),
    person_id       bigint REFERENCES accounts ON DELETE CASCADE,
    conversation_id bigint REFERENCES conversations ON DELETE CASCADE,
    -- SHA-256 of a link's token. The token itself is not stored.
    token_hash      bytea UNIQUE,
    precision       text NOT NULL CHECK (precision IN ('exact', 'building', 'zone', 'campus')),
    session_id      bigint REFERENCES sessions ON DELETE SET NULL,
    -- Random number from which the sampling times of a coarse location follow.
    secret          bigint NOT NULL,
    started_at      timestamptz NOT NULL,
    chosen_at       timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL CHECK (expires_at > started_at),
    ended_at        timestamptz,
    end_reason      text CHECK (end_reason IN ('stopped', 'expired', 'session', 'blocked', 'group', 'disabled', 'buddies')),
    -- Number that grows with each change. Of two reads of a share, the one with the greater version is newer.
    version         bigint NOT NULL DEFAULT nextval('share_versions'),
    -- Number of viewers without an entry of their own in share_watches. These are guests beyond the limit of entries, and viewers on the
    -- campus map beyond the hub's limits.
    more            integer NOT NULL DEFAULT 0,
    -- Whether the recipients were notified of the end.
    is_told         boolean NOT NULL DEFAULT false,
    -- State of the invitation of a stranger; NULL for a share that needs no acceptance. The owner never learns the state.
    invitation      text CHECK (invitation IN ('waiting', 'accepted', 'declined')),
    -- Name of the group at the time when the owner left it.
    group_name      text,
    -- Time at which viewers learn of the end; NULL, or a time not after `ended_at`, for immediately. Until then viewers see the share as
    -- hidden. A share that ended in a hidden location has this delay, because the duration of the rest of the way reveals as much as its
    -- length.
    end_told_at     timestamptz,
    UNIQUE (account_id, client_id),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
    CHECK ((audience = 'person') = (person_id IS NOT NULL)),
    CHECK ((audience = 'group') = (conversation_id IS NOT NULL))
) WITH (fillfactor = 70);
COMMENT ON TABLE shares IS 'grant: live positions for a person, a group, everybody or the holder of a link';
CREATE INDEX shares_of_account ON shares (account_id, id);
CREATE INDEX shares_to_person ON shares (person_id);
CREATE INDEX shares_to_group ON shares (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX shares_of_session ON shares (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX shares_working_of_account ON shares (account_id) WHERE ended_at IS NULL;
CREATE INDEX shares_working ON shares (expires_at) WHERE ended_at IS NULL;
CREATE INDEX shares_campus ON shares (id) WHERE ended_at IS NULL AND audience = 'campus';
CREATE INDEX shares_waiting ON shares (person_id) WHERE invitation = 'waiting' AND ended_at IS NULL;
CREATE INDEX shares_untold ON shares (id) WHERE ended_at IS NOT NULL AND NOT is_told;
CREATE INDEX shares_ended ON shares (ended_at) WHERE ended_at IS NOT NULL;

-- Access log of shares: the viewer, the start, the latest possible end, the precision, and the number of times. An entry without an account
-- belongs to a guest with the link.
CREATE SEQUENCE share_openings AS bigint;
CREATE TABLE share_watches (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    share_id   bigint NOT NULL REFERENCES shares ON DELETE CASCADE,
    account_id bigint REFERENCES accounts ON DELETE CASCADE,
    -- Number of the opening. All entries of one connection have the same number, also after changes of the precision. 0: the entry lasts to
    -- the end of the share. NULL: the viewer saw the share on the campus map.
    opening    bigint,
    precision  text NOT NULL,
    from_at    timestamptz NOT NULL,
    to_at      timestamptz,
    times      integer NOT NULL DEFAULT 1
);
CREATE INDEX share_watches_of_share ON share_watches (share_id, from_at);
CREATE INDEX share_watches_of_viewer ON share_watches (share_id, coalesce(account_id, 0));
CREATE INDEX share_watches_of_account ON share_watches (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX share_watches_open ON share_watches (opening) WHERE to_at IS NULL AND opening IS NOT NULL;
CREATE UNIQUE INDEX share_watches_on_map ON share_watches (share_id, account_id, precision) WHERE opening IS NULL;

-- Questions "Where are you?", with the answers until the asker reads them.
CREATE TABLE where_requests (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client_id  uuid NOT NULL,
    from_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    to_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    state      text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered', 'read', 'declined')),
    at         timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    answer     json,
    UNIQUE (from_id, client_id),
    CHECK (answer IS NULL OR state = 'answered')
);
CREATE INDEX where_requests_to ON where_requests (to_id, id);
CREATE INDEX where_requests_at ON where_requests (at);
CREATE INDEX where_requests_answered ON where_requests (expires_at) WHERE answer IS NOT NULL;
