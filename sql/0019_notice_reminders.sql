-- Reminders of notices (C-8): who wants them by push, mail or text message is reminded of what was published since the planner looked last.

-- How far it has looked: behind `through`, and of the next entry up to `account_id`.
ALTER TABLE reminder_plans ADD COLUMN through bigint NOT NULL DEFAULT 0;
ALTER TABLE reminder_plans ADD COLUMN account_id bigint NOT NULL DEFAULT 0;
INSERT INTO reminder_plans (name, until, through)
SELECT 'notices', 'epoch', t.head_offset FROM topics t WHERE t.name = 'notices';

-- One planner at a time; it goes on where the last one stopped, whichever server that was, in the transaction that makes the reminders.
-- One notice, and of its people a bounded number: what is much takes many looks, and none of them long. What is older than `lasts` is
-- no news any more, as when a way was set up just now. Gives whether there may be more.
CREATE FUNCTION reminder_plan_notices(at timestamptz, due timestamptz, lasts interval, people_max integer, channels text[])
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    looked reminder_plans%ROWTYPE;
    entry record;
    people bigint[];
BEGIN
    SELECT * INTO looked FROM reminder_plans p WHERE p.name = 'notices' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
    SELECT l.at_offset, n AS notice INTO entry FROM notice_log l JOIN notices n ON n.id = l.notice_id
    WHERE l.at_offset > looked.through AND l.kind = 'published' AND l.at > reminder_plan_notices.at - lasts
        AND n.state = 'published' AND n.expires_at > reminder_plan_notices.at
    ORDER BY l.at_offset LIMIT 1;
    IF NOT FOUND THEN
        UPDATE reminder_plans SET through = t.head_offset, account_id = 0 FROM topics t
        WHERE reminder_plans.name = 'notices' AND t.name = 'notices' AND reminder_plans.through < t.head_offset;
        RETURN false;
    END IF;
    people := ARRAY(SELECT DISTINCT a.account_id FROM reminder_addresses a
        WHERE a.state = 'on' AND a.channel = ANY (channels) AND a.account_id > looked.account_id
        ORDER BY a.account_id LIMIT people_max);
    PERFORM reminder_add(
        ARRAY(SELECT p FROM notice_people(entry.notice, people) p WHERE p IS DISTINCT FROM (entry.notice).author_id),
        'notice', 'notice/' || (entry.notice).id, jsonb_build_object('notice', (entry.notice).id),
        (entry.notice).was_emergency, CASE WHEN (entry.notice).was_emergency THEN at ELSE due END,
        least((entry.notice).expires_at, at + lasts), channels);
    IF cardinality(people) < people_max THEN
        UPDATE reminder_plans SET through = entry.at_offset, account_id = 0 WHERE name = 'notices';
    ELSE
        UPDATE reminder_plans SET account_id = people[cardinality(people)] WHERE name = 'notices';
    END IF;
    RETURN true;
END $$;
