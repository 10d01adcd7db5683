-- Mails about accounts (U-2, U-8): links that reset a forgotten password, and the outbox of such mails.

-- Links that set a new password. Only the SHA-256 of a link's token is stored. An account may have several, so that the request of a
-- stranger does not end the link that the owner requested. Using one removes all.
CREATE TABLE password_resets (
    hash       bytea PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE password_resets IS 'grant: a link that sets the password';
CREATE INDEX password_resets_of_account ON password_resets (account_id);
CREATE INDEX password_resets_by_expiry ON password_resets (expires_at);

-- Outbox of mails about accounts. It contains no link: the server makes the link when it sends the mail.
CREATE TABLE account_mails (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- NULL for `reset`: the request is stored without looking for the account, so that it discloses nothing about the address.
    account_id bigint REFERENCES accounts ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('reset', 'password_changed')),
    -- For `reset` the comparison key of the address that was typed. For `password_changed` the account's address at the change.
    address    text NOT NULL CHECK (octet_length(address) <= 1024),
    -- For `password_changed` the client program that changed the password.
    client     text,
    created_at timestamptz NOT NULL,
    -- Latest time of sending.
    expires_at timestamptz NOT NULL,
    state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'dropped', 'failed')),
    attempts   integer NOT NULL DEFAULT 0,
    -- Earliest time of the next attempt. A claim moves it by the length of a lease: if the server dies, another one sends the mail.
    next_at    timestamptz NOT NULL,
    -- Server of the latest claim.
    node       text,
    error      text,
    sent_at    timestamptz,
    CHECK ((kind = 'reset') = (account_id IS NULL))
);
CREATE INDEX account_mails_due ON account_mails (next_at) WHERE state = 'waiting';
-- For the limit of an address.
CREATE INDEX account_mails_to ON account_mails (address, created_at);
CREATE INDEX account_mails_of_account ON account_mails (account_id) WHERE account_id IS NOT NULL;
-- For upkeep.
CREATE INDEX account_mails_by_age ON account_mails (created_at);
