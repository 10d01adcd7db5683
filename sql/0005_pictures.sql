-- Pictures of profiles and in conversations (U-1, U-3). The server encodes each uploaded picture anew, as JPEG without metadata.

CREATE TABLE pictures (
    -- Random, so that nobody finds a picture by counting. The server checks access as well.
    id              uuid PRIMARY KEY,
    owner_id        bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    purpose         text NOT NULL CHECK (purpose IN ('profile', 'chat')),
    -- Message with the picture; NULL until the message is sent.
    conversation_id bigint REFERENCES conversations ON DELETE CASCADE,
    at_offset       bigint CHECK (at_offset > 0),
    -- Size of `full` in pixels.
    width           integer NOT NULL CHECK (width > 0),
    height          integer NOT NULL CHECK (height > 0),
    "full"          bytea NOT NULL,
    thumb           bytea NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    CHECK ((conversation_id IS NULL) = (at_offset IS NULL)),
    CHECK (purpose = 'chat' OR at_offset IS NULL)
);
COMMENT ON TABLE pictures IS 'no grant: the bytes are the picture';
-- JPEG does not compress further. An attempt would cost time at every write and read.
ALTER TABLE pictures ALTER COLUMN "full" SET STORAGE EXTERNAL, ALTER COLUMN thumb SET STORAGE EXTERNAL;
CREATE INDEX pictures_of_owner ON pictures (owner_id);
CREATE INDEX pictures_of_conversation ON pictures (conversation_id) WHERE conversation_id IS NOT NULL;
-- Pictures that were uploaded but not sent. Their number is limited for each owner, and upkeep removes them after a day.
CREATE INDEX pictures_unused ON pictures (created_at) WHERE purpose = 'chat' AND at_offset IS NULL;

-- Total size of an account's pictures for conversations, in bytes. Triggers keep it up to date, because the cost of computing the sum at
-- each upload would grow with the number of pictures.
CREATE TABLE picture_room (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    bytes      bigint NOT NULL
);
