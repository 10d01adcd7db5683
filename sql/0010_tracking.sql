-- Tracking sessions (U-4, U-5). A row of points is an acknowledged point: it is never deleted, and its fix never changes. When a late point
-- is inserted by its seq, the server recomputes only the filter's result (distance, moving, reason).

CREATE TABLE sessions (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id   uuid NOT NULL,
    activity    text NOT NULL CHECK (activity IN ('run', 'cycle')),
    title       text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 80),
    state       text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'paused', 'finished')),
    audience    text NOT NULL DEFAULT 'private' CHECK (audience IN ('private', 'campus', 'public')),
    simulated   boolean NOT NULL,
    clock_kind  text NOT NULL DEFAULT 'live' CHECK (clock_kind IN ('live', 'recorded')),
    clock_speed double precision NOT NULL DEFAULT 1,
    started_at  timestamptz NOT NULL,
    ended_at    timestamptz,
    -- Sums as of the last commit.
    distance    double precision NOT NULL DEFAULT 0,
    moving      double precision NOT NULL DEFAULT 0,
    points      bigint NOT NULL DEFAULT 0,
    last_seq    bigint NOT NULL DEFAULT 0,
    last_fix_at timestamptz,
    -- Unused: empty or NULL. The owner node computes the filter's state from the points when it loads the session.
    filter      text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    -- Fencing token of the owner node, from `session_homes`. A server takes a new token before its first write to a session, and it may
    -- write only while the row has this token. Therefore a former owner node, whose sums are outdated, is refused.
    home        bigint NOT NULL DEFAULT 0 CONSTRAINT sessions_home CHECK (home >= 0),
    -- Time at which others learn of the end of a session that ended in a hidden location. An immediate end would reveal the duration of the
    -- rest of the way, which reveals as much as its length.
    end_told_at timestamptz,
    UNIQUE (account_id, client_id),
    CHECK ((state = 'finished') = (ended_at IS NOT NULL)),
    CHECK (clock_kind = 'live' OR simulated)
);
CREATE INDEX sessions_history ON sessions (account_id, started_at DESC, id DESC);
CREATE INDEX sessions_unfinished ON sessions (id) WHERE state <> 'finished';
CREATE INDEX sessions_running ON sessions (account_id) WHERE state = 'running';
CREATE SEQUENCE session_homes AS bigint;

CREATE TABLE points (
    session_id  bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
    seq         bigint NOT NULL CHECK (seq > 0),
    at          timestamptz NOT NULL,
    lat         double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lon         double precision NOT NULL CHECK (lon BETWEEN -180 AND 180),
    accuracy    double precision,
    altitude    double precision,
    speed       double precision,
    heading     double precision,
    received_at timestamptz NOT NULL DEFAULT now(),
    -- Result of the filter: the metres and seconds that count, or the reason why none count.
    distance    double precision NOT NULL,
    moving      double precision NOT NULL,
    reason      text,
    PRIMARY KEY (session_id, seq)
);

CREATE TABLE pauses (
    session_id bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
    from_at    timestamptz NOT NULL,
    to_at      timestamptz,
    PRIMARY KEY (session_id, from_at),
    CHECK (to_at >= from_at)
);

-- Links that show one session to anybody who has the link. Only the SHA-256 of a link's token is stored.
CREATE TABLE links (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
COMMENT ON TABLE links IS 'grant: a link that shows a session';
CREATE INDEX links_of_session ON links (session_id);
