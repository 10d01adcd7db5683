-- Tracking sessions (U-4, U-5). A row of points is what was acknowledged: it is never deleted and its fix never changes;
-- only the filter's verdict (distance, moving, reason) is worked out anew when a late point takes its place by seq.

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
    -- What the last commit left: the sums and the filter to go on with.
    distance    double precision NOT NULL DEFAULT 0,
    moving      double precision NOT NULL DEFAULT 0,
    points      bigint NOT NULL DEFAULT 0,
    last_seq    bigint NOT NULL DEFAULT 0,
    last_fix_at timestamptz,
    filter      text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, client_id),
    CHECK ((state = 'finished') = (ended_at IS NOT NULL)),
    CHECK (clock_kind = 'live' OR simulated)
);
CREATE INDEX sessions_history ON sessions (account_id, started_at DESC, id DESC);
CREATE INDEX sessions_unfinished ON sessions (id) WHERE state <> 'finished';

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
    -- The filter's verdict: metres and seconds counted, or why none are.
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

-- Links that open one session to whoever holds them. Only the token's SHA-256 is kept.
CREATE TABLE links (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX links_of_session ON links (session_id);
