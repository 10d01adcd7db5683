-- Statistics are refreshed when a table has grown. Before, updates counted as well: a small table with many updates was analysed at every
-- look for ever, which ended the plans of its statements each time. Autovacuum looks after what updates change.

-- Analyses tables that have doubled since they were analysed last, or never were, the most grown first. Gives their names. Any server may
-- call it: one works at a time, and a table that autovacuum has is passed over.
CREATE OR REPLACE FUNCTION statistics_refresh(tables_max integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    grown record;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('campanile.statistics', 0)) THEN RETURN; END IF;
    FOR grown IN
        -- A table that was never analysed has -1 in reltuples.
        SELECT c.oid::regclass AS name FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relowner = current_user::regrole
            AND pg_stat_get_live_tuples(c.oid) >= CASE WHEN c.reltuples < 0 THEN 1 ELSE 2 * greatest(c.reltuples, 50) END
            AND c.reltuples < 1000000
        ORDER BY pg_stat_get_live_tuples(c.oid) - c.reltuples DESC LIMIT tables_max
    LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', grown.name);
        RETURN NEXT grown.name;
    END LOOP;
END $$;
