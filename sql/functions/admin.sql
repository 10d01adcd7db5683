-- Functions of the audit log. They run as the owner of the table, because the server's role may only insert and read rows.

-- Deletes entries older than two years, and no others.
CREATE OR REPLACE FUNCTION audit_prune(rows_max integer) RETURNS bigint LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.audit_log WHERE id IN (
            SELECT a.id FROM public.audit_log a WHERE a.at < now() - interval '24 months' ORDER BY a.at LIMIT rows_max)
        RETURNING 1)
    SELECT count(*) FROM gone
$$;

-- Removes the names of an account that its owner erases. The entries stay.
CREATE OR REPLACE FUNCTION audit_forget(account bigint) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.audit_log SET
        actor_name = CASE WHEN actor_id = account THEN 'account ' || account ELSE actor_name END,
        address = CASE WHEN actor_id = account THEN NULL ELSE address END,
        subject_name = CASE WHEN subject_kind = 'user' AND subject_id = account THEN 'account ' || account ELSE subject_name END,
        details = CASE WHEN subject_kind = 'user' AND subject_id = account THEN details - 'username' - 'email' - 'reason' ELSE details END
    WHERE (actor_id = account OR subject_kind = 'user' AND subject_id = account)
        -- Excludes accounts that stay, and accounts that an admin removes.
        AND EXISTS (SELECT FROM public.accounts a WHERE a.id = account AND a.erasing_at IS NOT NULL AND a.is_erased_by_owner)
$$;
