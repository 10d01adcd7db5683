-- Functions that end shares and void questions. Except for stops and expiries, each end of a share is made by a trigger, in the transaction
-- of its cause. Stops and expiries are in Sources/Services/Sharing (`Sharing.end`, `Sharing.publishEnds`).

-- Ends the shares that are tied to a session. Viewers learn of the end at the time that the hub set for the share, or else at the session's
-- time.
CREATE OR REPLACE FUNCTION share_end_with_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'session',
        -- `least` ignores NULL. Without this condition every end would be delayed until the share expires.
        end_published_at = CASE WHEN coalesce(s.end_published_at, NEW.end_published_at) IS NOT NULL
            THEN least(coalesce(s.end_published_at, NEW.end_published_at), s.expires_at) END
    WHERE s.session_id = NEW.id AND s.ended_at IS NULL;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_end_with_session AFTER UPDATE OF state ON sessions FOR EACH ROW
    WHEN (NEW.state = 'finished' AND OLD.state <> 'finished') EXECUTE FUNCTION share_end_with_session();

-- Ends the shares of an account with a group that the account leaves. They keep the group's present name, because the account must not
-- learn later names.
CREATE OR REPLACE FUNCTION share_end_with_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET group_name = c.name FROM conversations c
    WHERE c.id = OLD.conversation_id AND s.conversation_id = OLD.conversation_id AND s.account_id = OLD.account_id;
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'group'
    WHERE s.conversation_id = OLD.conversation_id AND s.account_id = OLD.account_id AND s.ended_at IS NULL;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_end_with_membership AFTER UPDATE OF state ON members FOR EACH ROW
    WHEN (OLD.state = 'joined' AND NEW.state <> 'joined') EXECUTE FUNCTION share_end_with_membership();

-- Ends the shares of a disabled account and voids its questions. The server then deletes the questions and notifies the other accounts
-- (`Sharing.endQuestions`).
CREATE OR REPLACE FUNCTION share_end_with_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'disabled'
    WHERE s.account_id = NEW.id AND s.ended_at IS NULL;
    UPDATE where_requests w SET answer = NULL, expires_at = least(w.expires_at, clock_timestamp())
    WHERE w.from_id = NEW.id OR w.to_id = NEW.id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_end_with_account AFTER UPDATE OF disabled_at ON accounts FOR EACH ROW
    WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL) EXECUTE FUNCTION share_end_with_account();

-- Ends the shares of the blocker with the blocked person. A share in the other direction looks to its owner like a share that its viewer
-- never opens, because an end would reveal the block. The blocker does not see that share. The entries in the access log end in both
-- directions. Unread answers become void, as if nobody had read them in time. Their expiry stays, because an earlier expiry would reveal
-- the time of the block.
CREATE OR REPLACE FUNCTION share_end_with_block() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'blocked'
    WHERE s.account_id = NEW.blocker_id AND s.person_id = NEW.blocked_id AND s.ended_at IS NULL;
    UPDATE share_watches w SET to_at = greatest(clock_timestamp(), w.from_at) FROM shares s
    WHERE w.share_id = s.id AND w.to_at IS NULL
        AND (s.account_id, w.account_id) IN ((NEW.blocker_id, NEW.blocked_id), (NEW.blocked_id, NEW.blocker_id));
    UPDATE where_requests w SET answer = NULL
    WHERE w.state = 'answered' AND (w.from_id, w.to_id) IN ((NEW.blocker_id, NEW.blocked_id), (NEW.blocked_id, NEW.blocker_id));
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_end_with_block AFTER INSERT OR UPDATE OF is_on ON blocks FOR EACH ROW
    WHEN (NEW.is_on) EXECUTE FUNCTION share_end_with_block();

-- Ends the shares of former buddies with each other, because they are strangers now. Their open questions expire, and unread answers become
-- void as after a block.
CREATE OR REPLACE FUNCTION share_end_with_buddies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'buddies'
    WHERE s.ended_at IS NULL AND s.audience = 'person'
        AND (s.account_id, s.person_id) IN ((OLD.low_id, OLD.high_id), (OLD.high_id, OLD.low_id));
    UPDATE where_requests w SET answer = NULL,
        expires_at = CASE WHEN w.state = 'open' THEN least(w.expires_at, clock_timestamp()) ELSE w.expires_at END
    WHERE w.state IN ('open', 'answered') AND (w.from_id, w.to_id) IN ((OLD.low_id, OLD.high_id), (OLD.high_id, OLD.low_id));
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_end_with_buddies AFTER DELETE ON buddies FOR EACH ROW EXECUTE FUNCTION share_end_with_buddies();

-- MARK: Questions

-- Asks an account where it is. An account that blocks the asker gets the question like any other. Returns the reason for a refusal: `open`
-- for too many open questions, or `person` for too many questions to the same person within an hour. The caller holds a lock of the asker's
-- account.
CREATE OR REPLACE FUNCTION where_ask(asker bigint, asked bigint, client uuid, asked_at timestamptz, expires timestamptz, open_max integer,
    person_max integer, OUT refusal text, OUT request bigint, OUT is_new boolean)
LANGUAGE plpgsql AS $$
BEGIN
    is_new := false;
    SELECT w.id INTO request FROM where_requests w WHERE w.from_id = asker AND w.client_id = client;
    IF FOUND THEN RETURN; END IF;
    IF (SELECT count(*) FROM where_requests w WHERE w.from_id = asker AND w.to_id = asked
        AND w.at > asked_at - interval '1 hour') >= person_max THEN refusal := 'person'; RETURN; END IF;
    IF (SELECT count(*) FROM where_requests w WHERE w.from_id = asker AND w.state = 'open' AND w.expires_at > asked_at) >= open_max
    THEN refusal := 'open'; RETURN; END IF;
    INSERT INTO where_requests (client_id, from_id, to_id, at, expires_at) VALUES (client, asker, asked, asked_at, expires)
    RETURNING id INTO request;
    is_new := true;
END $$;

-- Voids the unread answers of an account, as if nobody had read them in time. Their expiry stays, so that nobody learns the time of the
-- change.
CREATE OR REPLACE FUNCTION where_void(account bigint) RETURNS void LANGUAGE sql AS $$
    UPDATE where_requests SET answer = NULL WHERE to_id = account AND answer IS NOT NULL
$$;

-- Voids earlier answers when the account adds or changes a private zone, or hides itself in residences, because it then wants to be seen
-- less.
CREATE OR REPLACE FUNCTION where_void_with_privacy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM where_void(NEW.account_id);
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER where_void_with_zone AFTER INSERT OR UPDATE ON private_zones FOR EACH ROW
    EXECUTE FUNCTION where_void_with_privacy();
CREATE OR REPLACE TRIGGER where_void_with_settings AFTER UPDATE OF residences ON privacy_settings FOR EACH ROW
    WHEN (OLD.residences AND NOT NEW.residences) EXECUTE FUNCTION where_void_with_privacy();
