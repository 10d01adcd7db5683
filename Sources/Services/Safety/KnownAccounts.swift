import Postgres
import Wire

/// SQL for what an account may know of another. Parameters: `$1` the asking account, `$2` the version of the rules, `$3` today's date in
/// UTC (as in ``Candidates/relation``), `$4` the other account, `$5` the time since which a mere sighting counts. An account that does
/// not exist has the same answer as an unknown one.
enum KnownAccounts {
    /// Seconds after a sighting, a share or a question during which the other account can still be blocked.
    static let seenSeconds = 86_400.0

    /// Values of `$1` to `$5`.
    static func parameters(of pair: Pair, at time: Timestamp) -> [PostgresValue] {
        [
            .int(pair.one), .int(Int64(BuddyCatalogue.rulesVersion)), .text(CalendarDay(time).description),
            .int(pair.other), .timestamp(time.advanced(bySeconds: -seenSeconds).milliseconds),
        ]
    }

    /// Common memberships through which one account (`i`) may know of the other (`u`). A joined member knows joined members, and former
    /// members who left after the member's start. A former member knows the members of that time. An invited account knows only its
    /// inviter. Members who can invite know invited accounts. Other answers would reveal whether an account is in a group.
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

    /// Owners of events that `$1` may see, and people who answered or were invited to an event of `$1`.
    private static let knownByEvent = """
        EXISTS (SELECT FROM events e WHERE e.state <> 'draft' AND (e.owner_id = $4 AND event_visible(e, $1)
            OR e.owner_id = $1 AND EXISTS (SELECT FROM event_people p WHERE p.event_id = e.id AND p.account_id = $4
                AND (p.answer IS NOT NULL OR p.invited_at IS NOT NULL))))
        """

    /// People whom `$1` knows through sharing: recipients of `$1`'s shares, viewers in `$1`'s access logs (regardless of blocks), people
    /// whom `$1` asked, and people who share with `$1` or asked `$1`. A share by another account counts if it was visible to `$1`, until
    /// `$5` after its end. Whether a stop or a block ended it makes no difference. Shares that `$1`'s own block hid throughout do not
    /// count. A share that ended in a hidden place counts from when its viewers learn of the end.
    private static let knownBySharing = """
        (EXISTS (SELECT FROM shares s WHERE s.account_id = $1 AND s.person_id = $4)
            OR EXISTS (SELECT FROM shares s CROSS JOIN LATERAL share_viewers(s.id) w
                WHERE s.account_id = $1 AND w.account_id = $4)
            OR EXISTS (SELECT FROM shares s WHERE s.account_id = $4 AND s.person_id = $1
                AND CASE WHEN s.ended_at IS NULL OR s.end_published_at > now() THEN NOT is_blocked($1, $4)
                    ELSE \(shownEnd) > $5 AND NOT \(hadBlocked(until: shownEnd)) END)
            OR EXISTS (SELECT FROM shares s JOIN share_watches w ON w.share_id = s.id
                WHERE s.account_id = $4 AND w.account_id = $1
                    AND (w.to_at IS NULL AND NOT \(hides) OR greatest(w.from_at, w.to_at) > $5))
            OR EXISTS (SELECT FROM where_requests w WHERE w.from_id = $1 AND w.to_id = $4 AND w.at > $5)
            OR EXISTS (SELECT FROM where_requests w WHERE w.from_id = $4 AND w.to_id = $1 AND w.at > $5
                AND (w.state <> 'open' OR NOT \(hadBlocked(until: "w.expires_at")))))
        """

    /// People with whom `$1` was in a live group.
    private static let knownByTraining = "person_trained_with($1, $4)"

    /// Time at which viewers of a share learned of its end; `greatest` ignores nulls.
    private static let shownEnd = "greatest(s.ended_at, s.end_published_at)"

    /// Whether `$1` lifted an own block after this time, and thus may never have seen what had ended by then.
    private static func hadBlocked(until end: String) -> String {
        "EXISTS (SELECT FROM blocks x WHERE x.blocker_id = $1 AND x.blocked_id = $4 AND x.changed_at > \(end))"
    }

    /// Column `is_known`: candidates of the deck, accounts decided on, buddies, members of a common present or past conversation, people
    /// of a common event or live group, people known through sharing, and accounts that `$1` blocks, so that a block does not prevent a
    /// later report.
    static let isKnown = """
        SELECT \(isSuggested) OR \(isDecided)
            OR EXISTS (SELECT FROM blocks WHERE blocker_id = $1 AND blocked_id = $4)
            OR person_met($1, $4) OR \(knownByEvent) OR \(knownBySharing) OR \(knownByTraining) AS is_known
        """

    /// Column `name`: the other's name where `$1` sees or last saw them; null if nowhere. In addition to known people it covers owners of
    /// sessions that are visible or ended after `$5`, by username as on the map. An account that the other blocks gets no such name,
    /// because it would reveal that the block exists.
    static let name = """
        SELECT CASE
            WHEN person_is_buddy($1, $4) OR EXISTS (\(sharedSQL("$1", "$4")) AND c.kind = 'direct')
                OR NOT \(hides) AND person_met($1, $4)
            THEN (SELECT s.name FROM person_shown($1, $4) s)
            WHEN \(isDecided) OR \(isSuggested) THEN p.first_name
            WHEN NOT \(hides) AND \(knownByEvent) OR \(knownBySharing) OR \(knownByTraining)
            THEN (SELECT s.name FROM person_shown($1, $4) s)
            WHEN NOT \(hides) AND EXISTS (SELECT FROM sessions s WHERE s.account_id = $4 AND s.audience <> 'private'
                AND (s.state <> 'finished' OR greatest(s.ended_at, s.end_published_at) > $5))
            THEN a.username
            WHEN person_met($1, $4) THEN '' END AS name
        FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id WHERE a.id = $4
        """

    private static let hides = "EXISTS (SELECT FROM blocks x WHERE x.is_on AND x.blocker_id = $4 AND x.blocked_id = $1)"
}
