-- Reminders of notices (C-8): who wants them by push, mail or text message is reminded of what was published since the planner looked last.

ALTER TABLE reminder_plans ADD COLUMN through bigint NOT NULL DEFAULT 0;
INSERT INTO reminder_plans (name, until, through)
SELECT 'notices', 'epoch', t.head_offset FROM topics t WHERE t.name = 'notices';

-- One planner at a time; it goes on where the last one stopped, whichever server that was, in the transaction that makes the reminders.
CREATE FUNCTION reminder_plan_notices(at timestamptz, due timestamptz, lasts interval, notices_max integer, channels text[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    looked bigint;
    entry record;
    made bigint := 0;
BEGIN
    SELECT p.through INTO looked FROM reminder_plans p WHERE p.name = 'notices' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN 0; END IF;
    FOR entry IN
        SELECT l.at_offset, l.kind, n AS notice FROM notice_log l JOIN notices n ON n.id = l.notice_id
        WHERE l.at_offset > looked ORDER BY l.at_offset LIMIT notices_max
    LOOP
        looked := entry.at_offset;
        CONTINUE WHEN entry.kind <> 'published' OR (entry.notice).state <> 'published' OR (entry.notice).expires_at <= at;
        made := made + reminder_add(
            ARRAY(SELECT p FROM notice_people(entry.notice,
                ARRAY(SELECT DISTINCT a.account_id FROM reminder_addresses a WHERE a.state = 'on' AND a.channel = ANY (channels))) p
                WHERE p IS DISTINCT FROM (entry.notice).author_id),
            'notice', 'notice/' || (entry.notice).id, jsonb_build_object('notice', (entry.notice).id),
            (entry.notice).was_emergency, CASE WHEN (entry.notice).was_emergency THEN at ELSE due END,
            least((entry.notice).expires_at, at + lasts), channels);
    END LOOP;
    UPDATE reminder_plans SET through = looked WHERE name = 'notices';
    RETURN made;
END $$;
