-- Functions that keep `picture_room` up to date.

CREATE OR REPLACE FUNCTION picture_room_taken() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO picture_room AS r (account_id, bytes)
    SELECT owner_id, sum(octet_length("full") + octet_length(thumb)) FROM made WHERE purpose = 'chat'
    GROUP BY owner_id ORDER BY owner_id
    ON CONFLICT (account_id) DO UPDATE SET bytes = r.bytes + excluded.bytes;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER picture_room_taken AFTER INSERT ON pictures REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION picture_room_taken();

CREATE OR REPLACE FUNCTION picture_room_given_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Rows are locked in one order, because several statements may remove pictures of many accounts at the same time.
    PERFORM FROM picture_room r WHERE r.account_id IN (SELECT g.owner_id FROM gone g) ORDER BY r.account_id FOR UPDATE;
    UPDATE picture_room r SET bytes = r.bytes - g.bytes
    FROM (SELECT owner_id, sum(octet_length("full") + octet_length(thumb)) AS bytes FROM gone WHERE purpose = 'chat'
        GROUP BY owner_id) g
    WHERE r.account_id = g.owner_id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER picture_room_given_back AFTER DELETE ON pictures REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION picture_room_given_back();
