-- Statistics that keep up with tables that grow fast. PostgreSQL knows nothing of a table that was never analysed: it takes a topic for one
-- of 200, reads all its publications to find one, and keeps that plan. Autovacuum comes by once a minute, and a fresh server is busy at
-- once, as is any after a bulk load. To analyse a table also ends the plans that were made before.

-- Analyses tables that have doubled since they were analysed last, the most changed first. Gives their names. Autovacuum looks after what
-- grows slowly. Any server may call it: one works at a time, and a table that autovacuum has is passed over.
CREATE FUNCTION statistics_refresh(tables_max integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    grown record;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('campanile.statistics', 0)) THEN RETURN; END IF;
    FOR grown IN
        SELECT c.oid::regclass AS name FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relowner = current_user::regrole
            AND pg_stat_get_mod_since_analyze(c.oid) >= greatest(100, c.reltuples) AND c.reltuples < 1000000
        ORDER BY pg_stat_get_mod_since_analyze(c.oid) DESC LIMIT tables_max
    LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', grown.name);
        RETURN NEXT grown.name;
    END LOOP;
END $$;
