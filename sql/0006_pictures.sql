-- Pictures of people and in chats (U-1, U-3). What is kept is made anew from what was uploaded: JPEG without metadata.

CREATE TABLE pictures (
    -- Random: nobody finds a picture by counting. Access is checked all the same.
    id              uuid PRIMARY KEY,
    owner_id        bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    purpose         text NOT NULL CHECK (purpose IN ('profile', 'chat')),
    -- The message that it is part of; empty until it is sent.
    conversation_id bigint,
    at_offset       bigint CHECK (at_offset > 0),
    -- Pixels of `full`.
    width           integer NOT NULL CHECK (width > 0),
    height          integer NOT NULL CHECK (height > 0),
    "full"          bytea NOT NULL,
    thumb           bytea NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    CHECK ((conversation_id IS NULL) = (at_offset IS NULL)),
    CHECK (purpose = 'chat' OR at_offset IS NULL)
);
-- JPEG does not shrink: to try costs time at every write and read.
ALTER TABLE pictures ALTER COLUMN "full" SET STORAGE EXTERNAL, ALTER COLUMN thumb SET STORAGE EXTERNAL;
CREATE INDEX pictures_of_owner ON pictures (owner_id);
CREATE INDEX pictures_of_conversation ON pictures (conversation_id) WHERE conversation_id IS NOT NULL;
-- Uploaded and never sent: counted by owner, and removed after a while.
CREATE INDEX pictures_unused ON pictures (created_at) WHERE purpose = 'chat' AND at_offset IS NULL;
