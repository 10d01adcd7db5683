-- The list of blocks shows somebody as the blocker saw them, whatever is shown of them elsewhere. Empty where that is not known.
ALTER TABLE blocks ADD COLUMN name text NOT NULL DEFAULT '';
UPDATE blocks b SET name = CASE
    WHEN EXISTS (SELECT FROM members i JOIN members u USING (conversation_id)
        WHERE i.account_id = b.blocker_id AND u.account_id = b.blocked_id)
    THEN coalesce(p.first_name || ' ' || left(p.last_name, 1) || '.', a.username)
    WHEN EXISTS (SELECT FROM buddy_decisions d WHERE d.account_id = b.blocker_id AND d.other_id = b.blocked_id)
    THEN coalesce(p.first_name, '') ELSE '' END
FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id WHERE a.id = b.blocked_id;

-- Lifted ones are kept for a while, so that servers find them, and then go.
CREATE INDEX blocks_lifted ON blocks (changed_at) WHERE NOT is_on;

-- A reaction to what the account is not to see is one to nothing.
CREATE OR REPLACE FUNCTION chat_react(conversation bigint, account bigint, message bigint, with_emoji text, now_on boolean, at timestamptz)
RETURNS chat_change LANGUAGE plpgsql AS $$
DECLARE
    known record;
    change chat_change;
BEGIN
    SELECT * INTO known FROM chat_message(conversation, account, message);
    change.epoch := known.epoch;
    change.refusal := coalesce(known.refusal,
        CASE WHEN EXISTS (SELECT FROM blocks b WHERE b.is_on AND b.blocker_id = account AND b.blocked_id = known.author)
            OR EXISTS (SELECT FROM blocks b WHERE b.is_on AND b.blocker_id = known.author AND b.blocked_id = account)
            THEN 'notFound' WHEN known.is_deleted THEN 'deleted' END);
    IF change.refusal IS NOT NULL THEN RETURN change; END IF;
    IF now_on THEN
        INSERT INTO reactions VALUES (conversation, message, account, with_emoji) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM reactions r WHERE r.conversation_id = conversation AND r.at_offset = message
            AND r.account_id = account AND r.emoji = with_emoji;
    END IF;
    IF FOUND THEN change.at_offset := chat_append(conversation, 'reaction', account, at, message, with_emoji, now_on); END IF;
    RETURN change;
END $$;
