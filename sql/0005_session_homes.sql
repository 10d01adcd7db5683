-- Which server writes a session. A server that is about to write one it has not written before takes a new number, and writes
-- as long as the row has it: whoever wrote before, and holds sums that are old by now, is refused.
CREATE SEQUENCE session_homes AS bigint;
ALTER TABLE sessions ADD COLUMN home bigint NOT NULL DEFAULT 0, ADD CONSTRAINT sessions_home CHECK (home >= 0);

-- The filter's state is worked out from the points again when a session is taken up: it is not written any more.
COMMENT ON COLUMN sessions.filter IS 'Empty since 0005: an earlier version then judges the points anew.';
