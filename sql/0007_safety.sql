-- Blocks and reports (B-5, W-5).

-- Blocks. A block holds in both directions. The row of a lifted block stays for a limited time, so that servers find the change by its
-- version.
CREATE SEQUENCE block_versions AS bigint;
CREATE TABLE blocks (
    blocker_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    blocked_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    is_on      boolean NOT NULL DEFAULT true,
    version    bigint NOT NULL DEFAULT nextval('block_versions'),
    changed_at timestamptz NOT NULL DEFAULT now(),
    -- Name of the blocked person as the blocker saw it, for the blocker's list. Empty if it is not known.
    name       text NOT NULL DEFAULT '',
    PRIMARY KEY (blocker_id, blocked_id),
    CHECK (blocker_id <> blocked_id)
);
CREATE INDEX blocks_of_blocked ON blocks (blocked_id) WHERE is_on;
CREATE INDEX blocks_version ON blocks (version);
CREATE INDEX blocks_lifted ON blocks (changed_at) WHERE NOT is_on;

-- Reports to the admins. Each report has a copy of its subject, so that content that is deleted afterwards remains available as evidence.
CREATE TABLE reports (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reporter_id     bigint REFERENCES accounts ON DELETE SET NULL,
    reported_id     bigint REFERENCES accounts ON DELETE SET NULL,
    client_id       uuid NOT NULL,
    reason          text NOT NULL CHECK (reason IN ('spam', 'harassment', 'unsafe', 'fake', 'other')),
    note            text CHECK (char_length(note) <= 1000),
    conversation_id bigint,
    evidence        json NOT NULL,
    at              timestamptz NOT NULL DEFAULT now(),
    closed_at       timestamptz,
    closed_by       bigint REFERENCES accounts ON DELETE SET NULL,
    resolution      text CHECK (char_length(resolution) <= 1000),
    -- Pictures in the evidence. Upkeep keeps them while the report is open.
    pictures        uuid[] NOT NULL DEFAULT '{}',
    -- State of the reported event at the time of the report.
    event           json,
    -- Size of the report in bytes. It limits the size of a page of reports.
    bytes           bigint NOT NULL GENERATED ALWAYS AS (
        octet_length(evidence::text) + coalesce(octet_length(note), 0) + coalesce(octet_length(resolution), 0)
        + coalesce(octet_length(event::text), 0)) STORED,
    UNIQUE (reporter_id, client_id)
);
CREATE INDEX reports_open ON reports (id) WHERE closed_at IS NULL;
CREATE INDEX reports_of_reported ON reports (reported_id);
CREATE INDEX reports_open_pictures ON reports USING gin (pictures) WHERE closed_at IS NULL;
