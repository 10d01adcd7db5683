-- Time at which a member of a live group last stopped taking part; NULL while it takes part, and if it never did. `joined_at` is from now
-- on the time at which it last began to. A trigger sets both.
ALTER TABLE live_group_members ADD COLUMN left_at timestamptz;
UPDATE live_group_members SET joined_at = since WHERE state = 'joined';
-- Of a member that was invited again, or removed after it had left, only a later time is known.
UPDATE live_group_members SET left_at = since WHERE joined_at IS NOT NULL AND state NOT IN ('joined', 'finished');
