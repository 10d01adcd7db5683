-- Places that somebody saved, what they looked for, and where they were (N-2); and what is left to do of accounts that go (U-8).

CREATE TABLE saved_places (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id  uuid NOT NULL,
    name       text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 120),
    lat        double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lon        double precision NOT NULL CHECK (lon BETWEEN -180 AND 180),
    -- Of the campus; it stays where it was when that goes.
    place_id   bigint REFERENCES places ON DELETE SET NULL,
    saved_at   timestamptz NOT NULL,
    UNIQUE (account_id, client_id)
);
CREATE INDEX saved_places_of_place ON saved_places (place_id) WHERE place_id IS NOT NULL;

CREATE TABLE searches (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    text       text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 120),
    -- The same words in other letters are the same.
    text_key   text NOT NULL,
    place_id   bigint REFERENCES places ON DELETE SET NULL,
    at         timestamptz NOT NULL,
    UNIQUE (account_id, text_key)
);
CREATE INDEX searches_at ON searches (at);
CREATE INDEX searches_of_place ON searches (place_id) WHERE place_id IS NOT NULL;

-- A row a place and day: that somebody was there for five minutes, and neither when on that day nor for how long.
CREATE TABLE visits (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('building', 'place')),
    subject_id bigint NOT NULL,
    day        date NOT NULL,
    PRIMARY KEY (account_id, kind, subject_id, day)
);
CREATE INDEX visits_day ON visits (day);

-- The account is going: whatever server finds it goes on with it.
ALTER TABLE accounts
    ADD COLUMN erasing_at timestamptz,
    -- By its owner: then its names go from the log of what admins did, too.
    ADD COLUMN is_erased_by_owner boolean NOT NULL DEFAULT false;
CREATE INDEX accounts_erasing ON accounts (id) WHERE erasing_at IS NOT NULL;

-- What an account wrote in groups: the words and pictures go, here and where the last versions of changed messages are kept, and whoever has the
-- group open is told as of any deleted message. Of a conversation of two nothing is left when the account goes.
CREATE FUNCTION chat_erase(account bigint, erased timestamptz, messages_max integer) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    m record;
BEGIN
    FOR m IN SELECT l.conversation_id, l.at_offset FROM chat_log l
        JOIN conversations c ON c.id = l.conversation_id AND c.kind = 'group'
        WHERE l.author_id = account AND l.kind = 'message' AND l.deleted_at IS NULL
        ORDER BY l.conversation_id, l.at_offset LIMIT messages_max
    LOOP
        -- As everybody does who writes there: the conversation first.
        PERFORM FROM conversations WHERE id = m.conversation_id FOR NO KEY UPDATE;
        UPDATE chat_log SET body = NULL, picture_id = NULL, picture_width = NULL, picture_height = NULL, deleted_at = erased
        WHERE conversation_id = m.conversation_id AND at_offset = m.at_offset AND deleted_at IS NULL;
        CONTINUE WHEN NOT FOUND;
        DELETE FROM reactions WHERE conversation_id = m.conversation_id AND at_offset = m.at_offset;
        PERFORM chat_append(m.conversation_id, 'deleted', account, erased, m.at_offset);
        RETURN NEXT m.conversation_id;
    END LOOP;
    DELETE FROM retracted r USING chat_log l
    WHERE l.conversation_id = r.conversation_id AND l.at_offset = r.at_offset AND l.author_id = account;
END $$;

-- The log of what admins did stays, without the names of an account that is gone: as the owner of the table, for the server's role,
-- which may not change rows.
CREATE FUNCTION audit_forget(account bigint) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.audit_log SET
        actor_name = CASE WHEN actor_id = account THEN 'account ' || account ELSE actor_name END,
        address = CASE WHEN actor_id = account THEN NULL ELSE address END,
        subject_name = CASE WHEN subject_kind = 'user' AND subject_id = account THEN 'account ' || account ELSE subject_name END,
        details = CASE WHEN subject_kind = 'user' AND subject_id = account THEN details - 'username' - 'email' - 'reason' ELSE details END
    WHERE (actor_id = account OR subject_kind = 'user' AND subject_id = account)
        -- Nobody's who is not going, or whom an admin removes.
        AND EXISTS (SELECT FROM public.accounts a WHERE a.id = account AND a.erasing_at IS NOT NULL AND a.is_erased_by_owner)
$$;
