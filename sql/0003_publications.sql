-- Publications on reliable topics (B-1, B-6). The transaction that commits a publication assigns its offset under the lock of the topic's
-- row. Therefore the offsets have no gaps and follow the order of the commits, also with several servers.

CREATE TABLE topics (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Name of the topic in the protocol, such as `zone/7/notices`.
    name        text NOT NULL UNIQUE,
    -- Identity of the log. It distinguishes the topic from an earlier topic of the same name, whose offsets belong to other publications.
    -- In milliseconds since 1970, so that a later epoch is always greater. A restored backup gives every topic a new epoch, because clients
    -- may have seen offsets that are assigned again.
    epoch       bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000),
    -- Offset of the newest publication; 0 before the first.
    head_offset bigint NOT NULL DEFAULT 0 CHECK (head_offset >= 0)
) WITH (fillfactor = 50);

CREATE TABLE publications (
    topic_id  bigint NOT NULL REFERENCES topics ON DELETE CASCADE,
    at_offset bigint NOT NULL CHECK (at_offset > 0),
    -- Id that the publisher chose. It identifies a publication that is sent again, as long as the publication is stored.
    client_id uuid NOT NULL,
    author_id bigint REFERENCES accounts ON DELETE SET NULL,
    at        timestamptz NOT NULL,
    -- Content of the publication, exactly the bytes that subscribers receive.
    data      json NOT NULL,
    PRIMARY KEY (topic_id, at_offset),
    UNIQUE (topic_id, client_id)
);
CREATE INDEX publications_of_author ON publications (author_id) WHERE author_id IS NOT NULL;
