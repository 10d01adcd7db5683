-- A browser that is signed out gets no more reminders: its subscription belongs to the token that it was made with. A trigger, so that every way
-- in which a token ends is covered: by its owner from another device, by one device too many, by an admin, by a restore.

ALTER TABLE reminder_addresses ADD COLUMN token_id bigint REFERENCES tokens ON DELETE CASCADE;
CREATE INDEX reminder_addresses_token ON reminder_addresses (token_id) WHERE token_id IS NOT NULL;

CREATE FUNCTION token_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM reminder_addresses r WHERE r.token_id = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER tokens_revoked AFTER UPDATE OF revoked_at ON tokens FOR EACH ROW
WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION token_revoked();
