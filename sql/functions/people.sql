-- Functions that decide which data of a person another person sees: names, gender, picture. No other file decides this
-- (<doc:Matching#Shown-names>).
--
-- Functions with subqueries are in PL/pgSQL, because PostgreSQL does not inline them: one in SQL is planned anew by each statement that
-- calls it, one in PL/pgSQL once per session (PostgreSQL manual §43.11.2).

-- The two forms of a person's name. Without a first name both are the username; a last name alone would disclose it to people who only see
-- its initial. PostgreSQL inlines these expressions, which matters because
-- lists of chats need many names.
CREATE OR REPLACE FUNCTION person_short_name(first text, last text, username text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(first || coalesce(' ' || left(last, 1) || '.', ''), username)
$$;
CREATE OR REPLACE FUNCTION person_full_name(first text, last text, username text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(first || coalesce(' ' || last, ''), username)
$$;

-- Whether one account may know the other from a conversation: from a direct one, as members at the same time, now or before, or as inviter
-- and invited. Owners and admins of a group also know the invited accounts. Same rule as `KnownAccounts.sharedSQL`.
CREATE OR REPLACE FUNCTION person_met(one bigint, other bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 1000 AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM members i JOIN members u USING (conversation_id) JOIN conversations c ON c.id = conversation_id
        WHERE i.account_id = one AND u.account_id = other AND (c.kind = 'direct'
            OR i.invited_by = u.account_id OR u.invited_by = i.account_id
            OR i.state = 'joined' AND (u.state = 'joined' OR u.state = 'invited' AND i.role IN ('owner', 'admin')
                OR EXISTS (SELECT FROM read_spans o WHERE o.conversation_id = c.id AND o.account_id = u.account_id
                    AND o.until_offset > i.from_offset))
            OR EXISTS (SELECT FROM read_spans s WHERE s.conversation_id = c.id AND s.account_id = i.account_id
                AND (u.state = 'joined' AND u.from_offset < s.until_offset
                    OR EXISTS (SELECT FROM read_spans o WHERE o.conversation_id = c.id AND o.account_id = u.account_id
                        AND o.from_offset < s.until_offset)))));
END $$;

-- Whether two accounts are matched buddies. In shares, only buddies are no strangers to each other. Membership in the same group does not
-- count, because a person who is added to a group has consented only to the group. Therefore a share with one member is an invitation, and
-- members know each other only in shares with the group.
CREATE OR REPLACE FUNCTION person_is_buddy(one bigint, other bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 500 AS $$
BEGIN
    RETURN EXISTS (SELECT FROM buddies b WHERE b.low_id = least(one, other) AND b.high_id = greatest(one, other));
END $$;

-- Data of an account that a viewer sees; a NULL viewer is a guest. `vouched`: the caller knows that both share a conversation, or that the
-- viewer is an admin who handles a report. The picture is one that `GET /pictures/ID` returns to the viewer.
CREATE OR REPLACE FUNCTION person_shown(viewer bigint, other bigint, vouched boolean DEFAULT false,
    OUT name text, OUT gender text, OUT picture_id uuid)
LANGUAGE plpgsql STABLE COST 1000 AS $$
BEGIN
    SELECT CASE r.relation WHEN 'stranger' THEN a.username
            WHEN 'close' THEN person_full_name(p.first_name, p.last_name, a.username)
            ELSE person_short_name(p.first_name, p.last_name, a.username) END,
        CASE WHEN r.relation <> 'stranger' THEN p.gender END,
        CASE WHEN NOT is_blocked(viewer, other) AND (r.relation = 'close' OR vouched OR EXISTS (
                SELECT FROM members i JOIN members u USING (conversation_id)
                WHERE i.account_id = viewer AND i.state = 'joined' AND u.account_id = other AND u.state = 'joined'))
            THEN a.picture_id END
    INTO name, gender, picture_id
    FROM accounts a
    CROSS JOIN LATERAL (SELECT CASE WHEN viewer = other OR person_is_buddy(viewer, other) THEN 'close'
        WHEN vouched OR person_met(viewer, other) THEN 'met' ELSE 'stranger' END AS relation) r
    LEFT JOIN profiles p ON p.account_id = a.id
    WHERE a.id = other;
END $$;

-- An account has one picture. The previous release reads and writes it in the buddy profile.
CREATE OR REPLACE FUNCTION account_picture_of_buddy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE accounts a SET picture_id = NEW.picture_id WHERE a.id = NEW.account_id AND a.picture_id IS DISTINCT FROM NEW.picture_id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER account_picture_of_buddy AFTER INSERT OR UPDATE OF picture_id ON buddy_profiles FOR EACH ROW
    EXECUTE FUNCTION account_picture_of_buddy();
CREATE OR REPLACE FUNCTION buddy_picture_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE buddy_profiles b SET picture_id = NEW.picture_id WHERE b.account_id = NEW.id AND b.picture_id IS DISTINCT FROM NEW.picture_id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER buddy_picture_of_account AFTER UPDATE OF picture_id ON accounts FOR EACH ROW
    WHEN (OLD.picture_id IS DISTINCT FROM NEW.picture_id) EXECUTE FUNCTION buddy_picture_of_account();
