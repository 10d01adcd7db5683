-- Profiles, decisions about suggested buddies, and matches (W-1, W-3, W-4, W-5).

-- Personal data that W-1 requires from everybody who looks for a buddy. No account sees it in this form; the article Matching says which
-- part each viewer sees.
CREATE TABLE profiles (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    first_name text NOT NULL CHECK (char_length(first_name) BETWEEN 1 AND 40),
    last_name  text NOT NULL CHECK (char_length(last_name) BETWEEN 1 AND 40),
    birthday   date NOT NULL,
    gender     text NOT NULL CHECK (gender IN ('female', 'male', 'other')),
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- Consent to the rules of finding a buddy. Consent comes before any other step (W-4).
CREATE TABLE buddy_agreements (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    version    integer NOT NULL,
    agreed_at  timestamptz NOT NULL DEFAULT now()
);

-- Buddy profiles. The lists of choices are bit sets, with the bits in the order of the lists of `buddies.options`, so that one operation
-- counts the shared choices.
CREATE TABLE buddy_profiles (
    account_id       bigint PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
    is_active        boolean NOT NULL DEFAULT true,
    preferred_gender text NOT NULL CHECK (preferred_gender IN ('any', 'female', 'male', 'other')),
    -- Whether suggestions, in both directions, are limited to people of the preferred gender.
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

-- Decisions of an account about another one: accepted or passed. The other account never learns of a pass, and learns of an acceptance only
-- by a match.
CREATE TABLE buddy_decisions (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    other_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    accepts    boolean NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, other_id),
    CHECK (account_id <> other_id)
);
CREATE INDEX buddy_decisions_of_other ON buddy_decisions (other_id);

-- Matches.
CREATE TABLE buddies (
    low_id          bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    high_id         bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    conversation_id bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
    matched_at      timestamptz NOT NULL,
    PRIMARY KEY (low_id, high_id),
    CHECK (low_id < high_id)
);
CREATE INDEX buddies_high ON buddies (high_id);
