-- Live groups (W-6): people who train together. Positions are in the memory of the servers only.

CREATE SEQUENCE live_group_versions AS bigint;

CREATE TABLE live_groups (
    -- UUID that the host's client chose. Unique among all groups, because it names the topic.
    id              uuid PRIMARY KEY,
    host_id         bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Workout of the host, which may be removed since.
    workout_id      uuid NOT NULL,
    -- The plan when the group was made.
    plan            jsonb NOT NULL,
    -- Ids of the plan's exercises. A position names one of them.
    exercises       text[] NOT NULL CHECK (cardinality(exercises) <= 60),
    conversation_id bigint REFERENCES conversations ON DELETE SET NULL,
    event_id        bigint REFERENCES events ON DELETE SET NULL,
    created_at      timestamptz NOT NULL,
    -- Time of the latest activity, written now and then. A group without any ends by itself.
    active_at       timestamptz NOT NULL,
    ended_at        timestamptz CHECK (ended_at >= created_at),
    -- Larger with each change of any group or of its members; from 1.
    version         bigint NOT NULL DEFAULT nextval('live_group_versions')
);
CREATE INDEX live_groups_of_host ON live_groups (host_id);
CREATE INDEX live_groups_idle ON live_groups (active_at) WHERE ended_at IS NULL;
CREATE INDEX live_groups_by_end ON live_groups (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX live_groups_of_conversation ON live_groups (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX live_groups_of_event ON live_groups (event_id) WHERE event_id IS NOT NULL;

CREATE TABLE live_group_members (
    group_id    uuid NOT NULL REFERENCES live_groups ON DELETE CASCADE,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    state       text NOT NULL CHECK (state IN ('invited', 'joined', 'left', 'finished', 'removed')),
    -- Whether the others see the heart-rate zone.
    shares_zone boolean NOT NULL DEFAULT false,
    since       timestamptz NOT NULL,
    PRIMARY KEY (group_id, account_id)
);
CREATE INDEX live_group_members_of_account ON live_group_members (account_id);

-- Reminders of scheduled workouts and of invitations to live groups. An account that gets pushes about events gets these too.
ALTER TABLE reminders DROP CONSTRAINT reminders_kind_check;
ALTER TABLE reminders ADD CONSTRAINT reminders_kind_check
    CHECK (kind IN ('event', 'message', 'notice', 'goal', 'workout', 'code', 'trial'));
UPDATE reminder_settings SET choices = choices || 'workout/push'::text
WHERE 'event/push' = ANY (choices) AND NOT 'workout/push' = ANY (choices);
INSERT INTO reminder_plans (name, until) VALUES ('workouts', 'epoch');
