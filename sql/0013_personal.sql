-- Saved places, searches and visits (N-2).

CREATE TABLE saved_places (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id  uuid NOT NULL,
    name       text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 120),
    lat        double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lon        double precision NOT NULL CHECK (lon BETWEEN -180 AND 180),
    -- Place of the campus. The saved position stays when that place is removed.
    place_id   bigint REFERENCES places ON DELETE SET NULL,
    saved_at   timestamptz NOT NULL,
    UNIQUE (account_id, client_id)
);
CREATE INDEX saved_places_of_place ON saved_places (place_id) WHERE place_id IS NOT NULL;

CREATE TABLE searches (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    text       text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 120),
    -- Text for comparisons. The same words in another case are the same search.
    text_key   text NOT NULL,
    place_id   bigint REFERENCES places ON DELETE SET NULL,
    at         timestamptz NOT NULL,
    UNIQUE (account_id, text_key)
);
CREATE INDEX searches_at ON searches (at);
CREATE INDEX searches_of_place ON searches (place_id) WHERE place_id IS NOT NULL;

-- Visits: one row for each building or place and each day with a stay of five minutes. The table has neither the time of day nor the
-- duration.
CREATE TABLE visits (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('building', 'place')),
    subject_id bigint NOT NULL,
    day        date NOT NULL,
    PRIMARY KEY (account_id, kind, subject_id, day)
);
CREATE INDEX visits_day ON visits (day);
