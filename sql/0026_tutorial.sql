-- Whether a person has seen the tutorial (U-9), as a setting of the account.

ALTER TABLE account_settings
    DROP CONSTRAINT account_settings_check,
    ADD CONSTRAINT account_settings_check CHECK (CASE name
        WHEN 'theme' THEN value IN ('system', 'light', 'dark')
        WHEN 'units' THEN value IN ('auto', 'pace', 'kmh', 'ms')
        WHEN 'audience' THEN value IN ('private', 'campus', 'public')
        WHEN 'location' THEN value IN ('on', 'off')
        WHEN 'tutorial' THEN value IN ('new', 'seen')
        ELSE false END);

-- People who know the app do not get it. Accounts that an admin added and nobody has used yet do.
INSERT INTO account_settings (account_id, name, value, changed_at)
SELECT a.id, 'tutorial', 'seen', now() FROM accounts a WHERE EXISTS (SELECT FROM tokens t WHERE t.account_id = a.id);
