-- Functions of privacy rules.

-- Stores a key for an account that has none. Does nothing for an account that was deleted.
CREATE OR REPLACE FUNCTION privacy_key(account bigint, fresh bytea) RETURNS void LANGUAGE sql AS $$
    INSERT INTO privacy_keys (account_id, key) SELECT id, fresh FROM accounts WHERE id = account
    ON CONFLICT DO NOTHING
$$;

-- Key and rules of an account in one snapshot: a row for each private zone, or one row without a zone.
CREATE OR REPLACE FUNCTION privacy_rules(account bigint)
RETURNS TABLE (
    key bytea, version bigint, residences boolean, heatmap boolean, visits boolean, zone bigint, size text, anchor_row bigint,
    anchor_column bigint)
LANGUAGE sql STABLE AS $$
    SELECT k.key, k.version, coalesce(s.residences, false), coalesce(s.heatmap, false), coalesce(s.visits, false),
        z.id, z.size, z.anchor_row, z.anchor_column
    FROM privacy_keys k LEFT JOIN privacy_settings s USING (account_id) LEFT JOIN private_zones z USING (account_id)
    WHERE k.account_id = account
$$;
