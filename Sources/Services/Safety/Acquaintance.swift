import Postgres
import Wire

/// What somebody may know of an account, as SQL: who asks is `$1`, the version of the rules `$2`, today's day in UTC `$3` (as in
/// ``Candidates/relation``), who is asked about `$4`, since when somebody is known who was only seen `$5`. Whoever does not exist is known to
/// nobody, and answered like one who is not known.
enum Acquaintance {
    /// How long somebody may be blocked who was seen on the way or by what they shared, behind the end of that, and who asked.
    static let seenSeconds = 86_400.0

    /// `$1` to `$5`.
    static func parameters(of pair: Pair, at time: Timestamp) -> [PostgresValue] {
        [
            .int(pair.one), .int(Int64(BuddyCatalogue.rulesVersion)), .text(CalendarDay(time).description),
            .int(pair.other), .timestamp(time.advanced(bySeconds: -seenSeconds).milliseconds),
        ]
    }

    /// Memberships `i` of one who may know of the other's, `u`: who is in it knows who joined; who left, those until then; who is
    /// invited, only by whom; and of who is invited know those who invite. Otherwise the answer would tell whether somebody is in a group.
    static func sharedSQL(_ one: String, _ other: String) -> String {
        """
        SELECT FROM members i JOIN members u USING (conversation_id) JOIN conversations c ON c.id = conversation_id
        WHERE i.account_id = \(one) AND u.account_id = \(other) AND (c.kind = 'direct'
            OR i.invited_by = u.account_id OR u.invited_by = i.account_id
            OR i.state = 'joined' AND (u.state = 'joined' OR u.state = 'invited' AND i.role IN ('owner', 'admin')
                OR EXISTS (SELECT FROM read_spans o WHERE o.conversation_id = c.id AND o.account_id = u.account_id
                    AND o.until_offset > i.from_offset))
            OR EXISTS (SELECT FROM read_spans s WHERE s.conversation_id = c.id AND s.account_id = i.account_id
                AND (u.state = 'joined' AND u.from_offset < s.until_offset
                    OR EXISTS (SELECT FROM read_spans o WHERE o.conversation_id = c.id AND o.account_id = u.account_id
                        AND o.from_offset < s.until_offset))))
        """
    }

    private static let isSuggested = "EXISTS (SELECT \(Candidates.relation) AND b.account_id = $4)"
    private static let isDecided = "EXISTS (SELECT FROM buddy_decisions WHERE account_id = $1 AND other_id = $4)"

    /// Who made an event that `$1` may see, and who has to do with one of `$1`'s.
    private static let isAtEvent = """
        EXISTS (SELECT FROM events e WHERE e.state <> 'draft' AND (e.owner_id = $4 AND event_visible(e, $1)
            OR e.owner_id = $1 AND EXISTS (SELECT FROM event_people p WHERE p.event_id = e.id AND p.account_id = $4
                AND (p.answer IS NOT NULL OR p.invited_at IS NOT NULL))))
        """

    /// Whom sharing shows to `$1`: with whom they share, who looked (all that is in their lists and receipts, block or not), whom they asked,
    /// who shares with them or asks them. Of others' shares those that were shown to them, until `$5` behind that; who ends it, by a stop
    /// or by a block, does not change the answer. Not what their own block hid all the time. An end in a hidden place counts from when
    /// viewers learn of it.
    private static let isAtShare = """
        (EXISTS (SELECT FROM shares s WHERE s.account_id = $1 AND s.person_id = $4)
            OR EXISTS (SELECT FROM shares s CROSS JOIN LATERAL share_viewers(s.id) w
                WHERE s.account_id = $1 AND w.account_id = $4)
            OR EXISTS (SELECT FROM shares s WHERE s.account_id = $4 AND s.person_id = $1
                AND CASE WHEN s.ended_at IS NULL OR s.end_told_at > now() THEN NOT event_parted($1, $4)
                    ELSE \(shownEnd) > $5 AND NOT \(hadBlocked(until: shownEnd)) END)
            OR EXISTS (SELECT FROM shares s JOIN share_watches w ON w.share_id = s.id
                WHERE s.account_id = $4 AND w.account_id = $1
                    AND (w.to_at IS NULL AND NOT \(hides) OR greatest(w.from_at, w.to_at) > $5))
            OR EXISTS (SELECT FROM where_requests w WHERE w.from_id = $1 AND w.to_id = $4 AND w.at > $5)
            OR EXISTS (SELECT FROM where_requests w WHERE w.from_id = $4 AND w.to_id = $1 AND w.at > $5
                AND (w.state <> 'open' OR NOT \(hadBlocked(until: "w.expires_at")))))
        """

    /// When viewers of a share learned of its end; `greatest` ignores nulls.
    private static let shownEnd = "greatest(s.ended_at, s.end_told_at)"

    /// A block of `$1`'s own was lifted later than this: what was over by then they may never have been shown.
    private static func hadBlocked(until end: String) -> String {
        "EXISTS (SELECT FROM blocks x WHERE x.blocker_id = $1 AND x.blocked_id = $4 AND x.changed_at > \(end))"
    }

    /// `is_known`: somebody on the deck, or who was there once and was decided on; a buddy; who is or was in the same conversation,
    /// or has to do with the same event; whom sharing shows; whom one blocks: who blocks first must be able to report afterwards.
    static let isKnown = """
        SELECT \(isSuggested) OR \(isDecided)
            OR EXISTS (SELECT FROM blocks WHERE blocker_id = $1 AND blocked_id = $4)
            OR person_met($1, $4) OR \(isAtEvent) OR \(isAtShare) AS is_known
        """

    /// `name`: what the other is called where `$1` sees them, or saw them last; null where nowhere. Besides those that are known it
    /// is who shows a session, or showed one that ended since `$5`, by username as on the map; not to whom the other blocks, who is not
    /// to find that out.
    static let name = """
        SELECT CASE
            WHEN person_is_buddy($1, $4) OR EXISTS (\(sharedSQL("$1", "$4")) AND c.kind = 'direct')
                OR NOT \(hides) AND person_met($1, $4)
            THEN (SELECT s.name FROM person_shown($1, $4) s)
            WHEN \(isDecided) OR \(isSuggested) THEN p.first_name
            WHEN NOT \(hides) AND \(isAtEvent) OR \(isAtShare) THEN (SELECT s.name FROM person_shown($1, $4) s)
            WHEN NOT \(hides) AND EXISTS (SELECT FROM sessions s WHERE s.account_id = $4 AND s.audience <> 'private'
                AND (s.state <> 'finished' OR greatest(s.ended_at, s.end_told_at) > $5))
            THEN a.username
            WHEN person_met($1, $4) THEN '' END AS name
        FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id WHERE a.id = $4
        """

    private static let hides = "EXISTS (SELECT FROM blocks x WHERE x.is_on AND x.blocker_id = $4 AND x.blocked_id = $1)"
}
