-- Monthly goals (U-6).

CREATE TABLE goals (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    kilometres integer NOT NULL DEFAULT 50 CHECK (kilometres BETWEEN 10 AND 999),
    -- Time zone of the device that last opened the goal. Months begin by it.
    time_zone  text NOT NULL DEFAULT 'UTC' CHECK (char_length(time_zone) <= 64),
    -- Time of the last reset of the progress. Sessions that began earlier do not count.
    reset_at   timestamptz,
    -- Latest month for which the account was notified that it reached its goal. The account gets one notification a month.
    told_month date
);
