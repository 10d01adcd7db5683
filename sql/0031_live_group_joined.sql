-- Time at which a member of a live group first took part; NULL if it never did. A trigger sets it.
ALTER TABLE live_group_members ADD COLUMN joined_at timestamptz;
UPDATE live_group_members SET joined_at = since WHERE state IN ('joined', 'finished');
