/// SQL for suggestions: the relation of possible candidates and the order of the deck. The Matching article describes both.
enum Candidates {
    /// All candidates of `$1`: `m` and `mp` are the viewer's rows, `b` and `p` the candidate's. The relation is symmetric. `$2` is the
    /// version of the rules, `$3` today's date in UTC.
    ///
    /// `NOT IN` makes PostgreSQL evaluate the excluded accounts once, independent of the planner's statistics; the columns are never
    /// null.
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
                SELECT x FROM blocks_of($1) x
                UNION ALL SELECT id FROM accounts WHERE disabled_at IS NOT NULL)
        """

    /// Restricts the relation to candidates without a decision by the viewer and without a match.
    static let undecided = """
        AND b.account_id NOT IN (
            SELECT other_id FROM buddy_decisions WHERE account_id = $1
            UNION ALL SELECT high_id FROM buddies WHERE low_id = $1
            UNION ALL SELECT low_id FROM buddies WHERE high_id = $1)
        """

    /// Score weights per common property.
    enum Weight {
        /// Per common goal, at most 3.
        static let goal = 8
        /// Per common time, at most ``timesMax``.
        static let time = 3
        /// Largest number of times that count, so that a person who is always available does not outrank everybody.
        static let timesMax = 5
        /// Per common place, at most 2.
        static let place = 6
        /// Per style of one person that the other wishes for, at most 2 in each direction.
        static let desiredStyle = 4
        /// Per common style, at most 2.
        static let style = 3
        /// Per trait of one person that the other wishes for, at most 3 in each direction.
        static let desiredTrait = 3
        /// Added if the candidate prefers the viewer's gender or has no preference.
        static let gender = 10
    }

    /// The deck: the best `$4` candidates. Ties are ordered by a hash with `$5`, the number of the day, so that nobody is always last and
    /// the order is stable for a day.
    ///
    /// `OFFSET 0` prevents the planner from sorting before it has found all candidates, so that it can use a top-N sort.
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

    /// Columns of a card, from `b` and `p`.
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
