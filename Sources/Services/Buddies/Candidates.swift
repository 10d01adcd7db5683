/// Who may be suggested to whom, and in which order, as SQL. The Matching article says it in words.
enum Candidates {
    /// Everybody whom `$1` could be shown: `m`, `mp` are the viewer's rows, `b`, `p` the other's. The relation is symmetric.
    /// `$2` is the version of the rules, `$3` today's day in UTC.
    ///
    /// `NOT IN` finds out once whom to leave out, whatever the planner knows of these tables, which are never null.
    static let relation = """
        FROM buddy_profiles m
        JOIN profiles mp ON mp.account_id = m.account_id
        JOIN buddy_agreements ma ON ma.account_id = m.account_id AND ma.version = $2
        JOIN buddy_profiles b ON b.account_id <> m.account_id AND b.is_active
        JOIN profiles p ON p.account_id = b.account_id
        JOIN buddy_agreements a ON a.account_id = b.account_id AND a.version = $2
        WHERE m.account_id = $1 AND m.is_active
            AND mp.birthday <= ($3::date - interval '\(Buddies.ageMin) years')::date
            AND p.birthday <= ($3::date - interval '\(Buddies.ageMin) years')::date
            AND (NOT m.is_gender_only OR m.preferred_gender IN ('any', p.gender))
            AND (NOT b.is_gender_only OR b.preferred_gender IN ('any', mp.gender))
            AND b.account_id NOT IN (
                SELECT blocked_id FROM blocks WHERE blocker_id = $1 AND is_on
                UNION ALL SELECT blocker_id FROM blocks WHERE blocked_id = $1 AND is_on
                UNION ALL SELECT id FROM accounts WHERE disabled_at IS NOT NULL)
        """

    /// Those of the relation about whom nothing is decided.
    static let undecided = """
        AND b.account_id NOT IN (
            SELECT other_id FROM buddy_decisions WHERE account_id = $1
            UNION ALL SELECT high_id FROM buddies WHERE low_id = $1
            UNION ALL SELECT low_id FROM buddies WHERE high_id = $1)
        """

    /// Points for one thing in common.
    enum Weight {
        /// Both train for it; at most 3.
        static let goal = 8
        /// Both have time; ``timesMax`` count.
        static let time = 3
        /// Times that count: who is always free must not beat everybody.
        static let timesMax = 5
        /// Both train there; at most 2.
        static let place = 6
        /// The other trains as I wish, and I as the other wishes; at most 2 each.
        static let desiredStyle = 4
        /// Both train so; at most 2.
        static let style = 3
        /// The other is as I wish, and I am as the other wishes; at most 3 each.
        static let desiredTrait = 3
        /// The other would rather train with somebody of my gender, or with anybody.
        static let gender = 10
    }

    /// The deck: `$4` cards, ties by `$5`, the day's number: nobody is always last, and a deck does not change while it is read.
    ///
    /// `OFFSET 0` keeps the planner from sorting before all are found: so it keeps but the best while it sorts.
    static let deck = """
        WITH ranked AS MATERIALIZED (
            SELECT * FROM (
                SELECT b.account_id, m.preferred_gender IN ('any', p.gender) AS is_preferred,
                    \(score) AS score,
                    hashint8extended(b.account_id, hashint8extended($1, $5)) AS tie
                \(relation)
                \(undecided)
                OFFSET 0) everybody
            ORDER BY is_preferred DESC, score DESC, tie, account_id LIMIT $4)
        SELECT r.score, \(card)
        FROM ranked r JOIN buddy_profiles b ON b.account_id = r.account_id JOIN profiles p ON p.account_id = r.account_id
        ORDER BY r.is_preferred DESC, r.score DESC, r.tie, r.account_id
        """

    /// What a card is made of, from `b` and `p`.
    static let card = """
        b.account_id, p.first_name, p.last_name, p.gender, p.birthday::text AS birthday, b.shows_age, b.description,
        b.picture_id, \(Choices.columns.map { "b.\($0)" }.joined(separator: ", "))
        """

    private static let score = """
        \(Weight.goal) * \(count("m.goals & b.goals"))
        + \(Weight.time) * least(\(Weight.timesMax), \(count("m.times & b.times", bits: 64)))
        + \(Weight.place) * \(count("m.places & b.places"))
        + \(Weight.desiredStyle) * (\(count("m.desired_styles & b.styles")) + \(count("m.styles & b.desired_styles")))
        + \(Weight.style) * \(count("m.styles & b.styles"))
        + \(Weight.desiredTrait) * (\(count("m.desired_traits & b.traits")) + \(count("m.traits & b.desired_traits")))
        + CASE WHEN b.preferred_gender IN ('any', mp.gender) THEN \(Weight.gender) ELSE 0 END
        """

    private static func count(_ mask: String, bits: Int = 32) -> String { "bit_count((\(mask))::bit(\(bits)))" }
}
