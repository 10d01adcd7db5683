-- Functions of live groups.

-- Gives a group a new version with each change, so that servers see which state is newer.
CREATE OR REPLACE FUNCTION live_group_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := nextval('live_group_versions');
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER live_group_version BEFORE UPDATE OF ended_at, host_id, version ON live_groups FOR EACH ROW
    EXECUTE FUNCTION live_group_version();

-- Ends groups in which nobody takes part any more.
CREATE OR REPLACE FUNCTION live_group_end_empty(ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_groups g SET ended_at = greatest(clock_timestamp(), g.created_at) WHERE g.id = ANY (ids) AND g.ended_at IS NULL
        AND NOT EXISTS (SELECT FROM live_group_members m WHERE m.group_id = g.id AND m.state IN ('joined', 'finished'));
END $$;

-- A change of the members is a change of their group. The new version locks the group, so that of two members that leave at the same time
-- the second one finds that nobody is left.
CREATE OR REPLACE FUNCTION live_group_members_came() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_groups g SET version = g.version WHERE g.id IN (SELECT n.group_id FROM new_rows n);
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER live_group_members_came AFTER INSERT ON live_group_members
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION live_group_members_came();

CREATE OR REPLACE FUNCTION live_group_members_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_groups g SET version = g.version WHERE g.id IN (SELECT n.group_id FROM new_rows n);
    PERFORM live_group_end_empty(ARRAY(SELECT DISTINCT n.group_id FROM new_rows n));
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER live_group_members_changed AFTER UPDATE ON live_group_members
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION live_group_members_changed();

CREATE OR REPLACE FUNCTION live_group_members_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_groups g SET version = g.version WHERE g.id IN (SELECT o.group_id FROM old_rows o);
    PERFORM live_group_end_empty(ARRAY(SELECT DISTINCT o.group_id FROM old_rows o));
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER live_group_members_gone AFTER DELETE ON live_group_members
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION live_group_members_gone();

-- A block between the host and a member removes the member. Other members that block each other stay, and the server shows neither to the
-- other.
CREATE OR REPLACE FUNCTION live_group_part() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_group_members m SET state = 'removed', shares_zone = false, since = clock_timestamp() FROM live_groups g
    WHERE g.id = m.group_id AND g.ended_at IS NULL AND m.state <> 'removed'
        AND (g.host_id, m.account_id) IN ((NEW.blocker_id, NEW.blocked_id), (NEW.blocked_id, NEW.blocker_id));
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER live_group_part AFTER INSERT OR UPDATE OF is_on ON blocks FOR EACH ROW
    WHEN (NEW.is_on) EXECUTE FUNCTION live_group_part();

-- A disabled account leaves all groups, and its own end.
CREATE OR REPLACE FUNCTION live_group_end_with_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_groups g SET ended_at = greatest(clock_timestamp(), g.created_at) WHERE g.host_id = NEW.id AND g.ended_at IS NULL;
    UPDATE live_group_members m SET state = 'left', shares_zone = false, since = clock_timestamp()
    WHERE m.account_id = NEW.id AND m.state IN ('invited', 'joined', 'finished');
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER live_group_end_with_account AFTER UPDATE OF disabled_at ON accounts FOR EACH ROW
    WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL) EXECUTE FUNCTION live_group_end_with_account();

-- Another username is a change of the account's open groups.
CREATE OR REPLACE FUNCTION live_group_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_groups g SET version = g.version FROM live_group_members m
    WHERE m.account_id = NEW.id AND g.id = m.group_id AND g.ended_at IS NULL;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER live_group_renamed AFTER UPDATE OF username ON accounts FOR EACH ROW
    WHEN (OLD.username <> NEW.username) EXECUTE FUNCTION live_group_renamed();

-- Times at which a member last began and stopped taking part, by the clock of the database alone. Other changes of the state, such as
-- another invitation, do not move them.
CREATE OR REPLACE FUNCTION live_group_joined() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    took_part boolean := coalesce(OLD.state IN ('joined', 'finished'), false);
    takes_part boolean := NEW.state IN ('joined', 'finished');
BEGIN
    IF takes_part AND NOT took_part THEN
        NEW.joined_at := clock_timestamp();
        NEW.left_at := NULL;
    ELSIF took_part AND NOT takes_part THEN
        NEW.left_at := clock_timestamp();
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER live_group_joined BEFORE INSERT OR UPDATE OF state ON live_group_members FOR EACH ROW
    EXECUTE FUNCTION live_group_joined();

-- Whether an account may know another from a live group: the host, the people of an own group, and members that took part at the same
-- time, by their latest participation. A member that blocked the account before was never shown to it.
CREATE OR REPLACE FUNCTION person_trained_with(one bigint, other bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 1000 AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM live_group_members i JOIN live_group_members u USING (group_id) JOIN live_groups g ON g.id = i.group_id
        WHERE i.account_id = one AND u.account_id = other AND (g.host_id IN (one, other)
            OR i.joined_at < coalesce(u.left_at, 'infinity') AND u.joined_at < coalesce(i.left_at, 'infinity')
                AND NOT EXISTS (SELECT FROM blocks b WHERE b.is_on AND b.blocker_id = other AND b.blocked_id = one
                    AND b.changed_at <= greatest(i.joined_at, u.joined_at))));
END $$;

-- Members of a group as the servers keep them: all but removed ones.
CREATE OR REPLACE FUNCTION live_group_json(live_group uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object('account', m.account_id, 'username', a.username, 'state', m.state,
        'sharesZone', m.shares_zone) ORDER BY m.account_id), '[]')
    FROM live_group_members m JOIN accounts a ON a.id = m.account_id WHERE m.group_id = live_group AND m.state <> 'removed'
$$;

-- MARK: Reminders

-- Whether a planned workout has begun: one of its trainings began after the reminder of the plan was due, or began within a day before the
-- plan and has not ended.
CREATE OR REPLACE FUNCTION reminder_workout_begun(workout workouts, lead interval) RETURNS boolean LANGUAGE plpgsql STABLE COST 500 AS $$
BEGIN
    RETURN EXISTS (SELECT FROM trainings t WHERE t.account_id = workout.account_id AND t.workout_id = workout.id
        AND t.started_at >= workout.scheduled_at - CASE WHEN t.ended_at IS NULL THEN interval '1 day' ELSE lead END);
END $$;

-- Adds reminders of workouts that are planned to start after the lead time. A workout that was planned later than that is due now. One
-- planner works at a time. If two planners add the same reminder, the outbox has it once.
CREATE OR REPLACE FUNCTION reminder_plan_workouts(
    at timestamptz, horizon timestamptz, oldest timestamptz, overlap interval, lead interval, channels text[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    planned timestamptz;
    since timestamptz;
    moment record;
    made bigint := 0;
BEGIN
    SELECT p.until INTO planned FROM reminder_plans p WHERE p.name = 'workouts' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN 0; END IF;
    -- `planned` is in the future after the clock was set back. The planner then starts from the present time.
    since := greatest(least(planned, at) - overlap, oldest);
    FOR moment IN
        SELECT w.account_id, w.id, w.scheduled_at FROM workouts w
        WHERE w.scheduled_at > at AND w.scheduled_at <= horizon + lead
            -- Planning a workout sets the time of its use. It also moves with its event.
            AND (w.scheduled_at > since + lead OR w.used_at > since
                OR EXISTS (SELECT FROM events e WHERE e.id = w.event_id AND e.changed_at > since)) AND NOT reminder_workout_begun(w, lead)
    LOOP
        made := made + reminder_add(ARRAY[moment.account_id],
            'workout', 'workout/' || moment.id || '/' || floor(extract(epoch FROM moment.scheduled_at)),
            jsonb_build_object('workout', moment.id, 'startsAt', floor(extract(epoch FROM moment.scheduled_at) * 1000)::bigint),
            false, greatest(moment.scheduled_at - lead, at), moment.scheduled_at, channels);
    END LOOP;
    UPDATE reminder_plans SET until = horizon WHERE name = 'workouts';
    RETURN made;
END $$;
