-- Pictures that people uploaded: re-encoded, without anything but pixels.

CREATE TABLE pictures (
    -- Made by the server; cannot be guessed, and proves nothing: every fetch is checked.
    id              uuid PRIMARY KEY,
    owner_id        bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    purpose         text NOT NULL CHECK (purpose IN ('profile', 'chat')),
    -- The message it is part of, once that was sent.
    conversation_id bigint,
    at_offset       bigint,
    width           integer NOT NULL CHECK (width > 0),
    height          integer NOT NULL CHECK (height > 0),
    -- JPEG.
    "full"          bytea NOT NULL,
    thumb           bytea NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE pictures ALTER COLUMN "full" SET STORAGE EXTERNAL;
CREATE INDEX pictures_of_owner ON pictures (owner_id);
CREATE INDEX pictures_unused ON pictures (created_at) WHERE purpose = 'chat' AND at_offset IS NULL;
