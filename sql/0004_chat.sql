-- Conversations (C-7, W-5, B-6). The log of a conversation has offsets without gaps, which are assigned under the lock of the
-- conversation's row, as in `topics`. The same code reads both kinds of log.

CREATE TABLE conversations (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('direct', 'group')),
    -- The two accounts of a direct conversation, the smaller id first.
    low_id      bigint REFERENCES accounts ON DELETE CASCADE,
    high_id     bigint REFERENCES accounts ON DELETE CASCADE,
    name        text CHECK (char_length(name) BETWEEN 1 AND 60),
    purpose     text CHECK (purpose IN ('workout', 'event')),
    created_by  bigint REFERENCES accounts ON DELETE SET NULL,
    client_id   uuid,
    created_at  timestamptz NOT NULL,
    is_open     boolean NOT NULL DEFAULT true,
    epoch       bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000),
    head_offset bigint NOT NULL DEFAULT 0 CHECK (head_offset >= 0),
    UNIQUE (low_id, high_id),
    UNIQUE (created_by, client_id),
    CHECK (low_id < high_id),
    CHECK ((kind = 'direct') = (low_id IS NOT NULL)),
    CHECK ((kind = 'group') = (name IS NOT NULL))
) WITH (fillfactor = 50);

CREATE TABLE members (
    conversation_id  bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
    account_id       bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    role             text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    state            text NOT NULL CHECK (state IN ('invited', 'joined', 'left')),
    invited_by       bigint REFERENCES accounts ON DELETE SET NULL,
    since            timestamptz NOT NULL,
    -- Last offset before the member joined. Events up to this offset are not shown to the member.
    from_offset      bigint NOT NULL DEFAULT 0,
    read_offset      bigint NOT NULL DEFAULT 0,
    delivered_offset bigint NOT NULL DEFAULT 0,
    is_opened        boolean NOT NULL DEFAULT false,
    -- End of the muting; `infinity` until the member unmutes.
    muted_until      timestamptz,
    PRIMARY KEY (conversation_id, account_id)
) WITH (fillfactor = 70);
CREATE INDEX members_of_account ON members (account_id) WHERE state <> 'left';
CREATE INDEX members_left ON members (account_id) WHERE state = 'left';

-- Events of conversations. The row of a message has the present state of the message. After an edit or a deletion it no longer has the
-- former text.
--
-- The table has no foreign keys. Every writer looks up the conversation and the member under a lock anyway, and each key would cost a
-- second lookup and a lock for every message. The triggers chat_forget_account and chat_forget_conversation do the work of the keys.
CREATE TABLE chat_log (
    conversation_id bigint NOT NULL,
    at_offset       bigint NOT NULL CHECK (at_offset > 0),
    kind            text NOT NULL CHECK (kind IN (
        'message', 'edited', 'deleted', 'reaction', 'joined', 'left', 'removed', 'role', 'renamed', 'opened', 'closed')),
    author_id       bigint,
    at              timestamptz NOT NULL,
    -- For messages: the id that the sender chose, the text, the picture, and the offset of the message that this message replies to.
    client_id       uuid,
    body            text,
    picture_id      uuid,
    picture_width   integer,
    picture_height  integer,
    reply_to        bigint,
    edited_at       timestamptz,
    deleted_at      timestamptz,
    -- For edits, deletions and reactions: the offset of the message.
    target          bigint,
    emoji           text,
    is_on           boolean,
    -- For changes of members: the member, and the new role. For a renamed group, `body` has the new name.
    member_id       bigint,
    role            text,
    PRIMARY KEY (conversation_id, at_offset)
);
-- There is no full-text index. Maintaining an index took as long for each message as all other work of sending it, and its timing revealed
-- what other accounts write. chat_search reads the logs instead.
CREATE UNIQUE INDEX chat_log_client_id ON chat_log (author_id, client_id, conversation_id) WHERE kind = 'message';

CREATE TABLE reactions (
    conversation_id bigint NOT NULL,
    at_offset       bigint NOT NULL,
    account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    emoji           text NOT NULL,
    PRIMARY KEY (conversation_id, at_offset, account_id, emoji),
    FOREIGN KEY (conversation_id, at_offset) REFERENCES chat_log ON DELETE CASCADE
);
CREATE INDEX reactions_of_account ON reactions (account_id);

-- Former texts and pictures of edited and deleted messages. They are kept for a limited time, only as evidence for reports.
CREATE TABLE retracted (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id bigint NOT NULL,
    at_offset       bigint NOT NULL,
    body            text,
    picture_id      uuid,
    at              timestamptz NOT NULL,
    FOREIGN KEY (conversation_id, at_offset) REFERENCES chat_log ON DELETE CASCADE
);
CREATE INDEX retracted_of_message ON retracted (conversation_id, at_offset);
CREATE INDEX retracted_at ON retracted (at);

-- Ranges of offsets that former members could read: after `from_offset`, up to `until_offset`. A range lets a former member report
-- messages, but gives no access for reading. The table is separate from `members`, because a new invitation of the same account reuses the
-- row there.
CREATE TABLE read_spans (
    conversation_id bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
    account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    from_offset     bigint NOT NULL,
    until_offset    bigint NOT NULL,
    PRIMARY KEY (conversation_id, account_id, until_offset)
);
CREATE INDEX read_spans_of_account ON read_spans (account_id);

-- Receipts that an account sends to others. An account without a row sends all kinds.
CREATE TABLE chat_settings (
    account_id      bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    sends_read      boolean NOT NULL DEFAULT true,
    sends_delivered boolean NOT NULL DEFAULT true,
    sends_typing    boolean NOT NULL DEFAULT true
);

-- Result of a change of a message: the reason for a refusal, or the offset of the new event in the log. The offset is NULL when nothing
-- changed.
CREATE TYPE chat_change AS (refusal text, at_offset bigint, epoch bigint);
