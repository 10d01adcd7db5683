-- Routes (N-2): what an import read for them, and what admins have closed.

-- The objects of the network, encoded (`NetworkCoding`), in parts. `version` is the campus version of the import.
CREATE TABLE campus_networks (
    part    integer PRIMARY KEY CHECK (part >= 0),
    version bigint NOT NULL,
    objects bytea NOT NULL
);

-- Lifts out of order, locked doors and closed paths. An ended one is kept for a while, so that a request that is sent again finds it.
CREATE TABLE closures (
    id         uuid PRIMARY KEY,
    -- The object's id in the source: `way/12`.
    object     text NOT NULL CHECK (char_length(object) BETWEEN 3 AND 80),
    kind       text NOT NULL,
    name       text NOT NULL,
    latitude   double precision NOT NULL,
    longitude  double precision NOT NULL,
    level      text,
    reason     text CHECK (char_length(reason) <= 120),
    starts_at  timestamptz NOT NULL,
    ends_at    timestamptz,
    -- When an admin ended it.
    ended_at   timestamptz,
    account_id bigint REFERENCES accounts ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK (ends_at > starts_at)
);
CREATE INDEX ON closures (account_id);
CREATE INDEX ON closures (created_at) WHERE ended_at IS NULL;
