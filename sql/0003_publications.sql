-- Publications on reliable topics (B-1, B-6). The transaction that commits a publication assigns its offset under the lock of the topic's
-- row. So the order of the offsets is the order of the commits, without gaps, with several servers as well.

CREATE TABLE topics (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- As in the protocol, such as `zone/7/notices`.
    name        text NOT NULL UNIQUE,
    -- Distinguishes the topic from an earlier one of the same name, whose offsets meant something else. In milliseconds, so that it only
    -- grows. A restored backup gives every topic a new epoch: clients may have seen offsets that are assigned again.
    epoch       bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000),
    -- Offset of the newest publication; 0 before the first.
    head_offset bigint NOT NULL DEFAULT 0 CHECK (head_offset >= 0)
) WITH (fillfactor = 50);

CREATE TABLE publications (
    topic_id  bigint NOT NULL REFERENCES topics ON DELETE CASCADE,
    at_offset bigint NOT NULL CHECK (at_offset > 0),
    -- The publisher's id: a message that is sent again is recognised as long as it is stored.
    client_id uuid NOT NULL,
    author_id bigint REFERENCES accounts ON DELETE SET NULL,
    at        timestamptz NOT NULL,
    -- What subscribers receive, byte for byte.
    data      json NOT NULL,
    PRIMARY KEY (topic_id, at_offset),
    UNIQUE (topic_id, client_id)
);
CREATE INDEX publications_of_author ON publications (author_id) WHERE author_id IS NOT NULL;
