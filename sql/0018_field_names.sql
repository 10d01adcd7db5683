-- Names that the documents and the code use, and removal of what nothing uses. No release has the former names.
SET LOCAL client_min_messages = warning;

ALTER TABLE sessions RENAME COLUMN home TO fencing_token;
ALTER TABLE sessions RENAME CONSTRAINT sessions_home TO sessions_fencing_token;
ALTER SEQUENCE session_homes RENAME TO session_fencing_tokens;
ALTER TABLE sessions RENAME COLUMN end_told_at TO end_published_at;
ALTER TABLE sessions DROP COLUMN filter;

ALTER TABLE shares RENAME COLUMN end_told_at TO end_published_at;
ALTER TABLE shares RENAME COLUMN is_told TO is_end_published;
ALTER INDEX shares_untold RENAME TO shares_end_unpublished;

ALTER TABLE goals RENAME COLUMN told_month TO notified_month;

-- Functions with another name or another parameter's name since. The files of functions have the new ones.
DROP TRIGGER IF EXISTS share_told ON shares;
DROP FUNCTION IF EXISTS share_told();
DROP FUNCTION IF EXISTS share_acquainted(bigint, bigint);
DROP FUNCTION IF EXISTS event_parted(bigint, bigint);
DROP FUNCTION IF EXISTS notice_parted(bigint);
DROP FUNCTION IF EXISTS notice_tell(notices, text, timestamptz);
DROP FUNCTION IF EXISTS notice_take_back(bigint[], timestamptz);
DROP FUNCTION IF EXISTS notice_forget_words(notices);
DROP FUNCTION IF EXISTS account_revoke_grants(bigint, bigint, bigint[], timestamptz[]);
DROP FUNCTION IF EXISTS chat_search(bigint, text[], bigint[], timestamptz, bigint, bigint, bigint, bigint, bigint);
DROP FUNCTION IF EXISTS reminder_plan_messages(bigint[], timestamptz, timestamptz, timestamptz, interval, text[]);

-- Functions that nothing calls.
DROP FUNCTION IF EXISTS notice_preview(bigint, text, bigint, text, bigint, bigint, bigint[]);
DROP FUNCTION IF EXISTS notice_recipients(notices);
DROP FUNCTION IF EXISTS notice_reach(bigint, text, bigint, text, bigint, bigint);
