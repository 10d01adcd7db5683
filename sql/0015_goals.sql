-- Monthly goals (U-6).

CREATE TABLE goals (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    kilometres integer NOT NULL DEFAULT 50 CHECK (kilometres BETWEEN 10 AND 999),
    -- Of the device that last opened the goal: months begin by it.
    time_zone  text NOT NULL DEFAULT 'UTC' CHECK (char_length(time_zone) <= 64),
    -- The progress was reset: sessions that began before do not count.
    reset_at   timestamptz,
    -- The month whose goal the account was notified of reaching: one notification a month.
    told_month date
);
