-- People as others may know them, who found whom, and who wants nothing of whom (W-1, W-3, W-4, W-5, B-5).

-- What W-1 asks of everybody who wants a buddy. Never shown as it is: see the Matching article for who sees what of it.
CREATE TABLE profiles (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    first_name text NOT NULL CHECK (char_length(first_name) BETWEEN 1 AND 40),
    last_name  text NOT NULL CHECK (char_length(last_name) BETWEEN 1 AND 40),
    birthday   date NOT NULL,
    gender     text NOT NULL CHECK (gender IN ('female', 'male', 'other')),
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- The rules of finding a buddy, agreed to before anything else (W-4).
CREATE TABLE buddy_agreements (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    version    integer NOT NULL,
    agreed_at  timestamptz NOT NULL DEFAULT now()
);

-- Choices are bits, in the order of the lists of `buddies.options`: shared ones are counted with one operation.
CREATE TABLE buddy_profiles (
    account_id       bigint PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
    is_active        boolean NOT NULL DEFAULT true,
    preferred_gender text NOT NULL CHECK (preferred_gender IN ('any', 'female', 'male', 'other')),
    -- Only people of the preferred gender are suggested, and only to them is this profile.
    is_gender_only   boolean NOT NULL DEFAULT false,
    shows_age        boolean NOT NULL DEFAULT false,
    description      text NOT NULL CHECK (char_length(description) <= 500),
    picture_id       uuid REFERENCES pictures ON DELETE SET NULL,
    times            bigint NOT NULL DEFAULT 0,
    goals            integer NOT NULL DEFAULT 0,
    strengths        integer NOT NULL DEFAULT 0,
    styles           integer NOT NULL DEFAULT 0,
    places           integer NOT NULL DEFAULT 0,
    traits           integer NOT NULL DEFAULT 0,
    desired_traits   integer NOT NULL DEFAULT 0,
    desired_styles   integer NOT NULL DEFAULT 0,
    updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX buddy_profiles_picture ON buddy_profiles (picture_id) WHERE picture_id IS NOT NULL;

-- Accepted or passed. Who passed is never told, and who accepted only by a match.
CREATE TABLE buddy_decisions (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    other_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    accepts    boolean NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, other_id),
    CHECK (account_id <> other_id)
);
CREATE INDEX buddy_decisions_of_other ON buddy_decisions (other_id);

-- A block holds both ways. Rows stay when it is lifted, so that servers can look for what is new.
CREATE SEQUENCE block_versions AS bigint;
CREATE TABLE blocks (
    blocker_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    blocked_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    is_on      boolean NOT NULL DEFAULT true,
    version    bigint NOT NULL DEFAULT nextval('block_versions'),
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (blocker_id, blocked_id),
    CHECK (blocker_id <> blocked_id)
);
CREATE INDEX blocks_of_blocked ON blocks (blocked_id) WHERE is_on;
CREATE INDEX blocks_version ON blocks (version);

-- What somebody told the admins, with a copy of what it is about: what is deleted afterwards stays evidence.
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
    UNIQUE (reporter_id, client_id)
);
CREATE INDEX reports_open ON reports (id) WHERE closed_at IS NULL;
CREATE INDEX reports_of_reported ON reports (reported_id);
