-- What was published on reliable topics (B-1, B-6). Offsets are given under the lock of the topic's row, by the transaction
-- that commits them: the order of the offsets is the order of the commits, without gaps, also with several servers.

CREATE TABLE topics (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- As on the wire, such as `zone/7/notices`.
    name        text NOT NULL UNIQUE,
    -- Tells a topic from an earlier one of its name, whose offsets meant something else. Milliseconds, so that it only grows.
    -- After a backup was restored, give every topic a new one: clients may have seen offsets that are given anew.
    epoch       bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000),
    -- Of the newest publication; 0 before the first.
    head_offset bigint NOT NULL DEFAULT 0 CHECK (head_offset >= 0)
) WITH (fillfactor = 50);

CREATE TABLE publications (
    topic_id  bigint NOT NULL REFERENCES topics ON DELETE CASCADE,
    at_offset bigint NOT NULL CHECK (at_offset > 0),
    -- The publisher's own: a message that is sent again is the same message, as long as it is kept.
    client_id uuid NOT NULL,
    author_id bigint REFERENCES accounts ON DELETE SET NULL,
    at        timestamptz NOT NULL,
    -- What subscribers get, byte for byte.
    data      json NOT NULL,
    PRIMARY KEY (topic_id, at_offset),
    UNIQUE (topic_id, client_id)
);
CREATE INDEX publications_of_author ON publications (author_id) WHERE author_id IS NOT NULL;
