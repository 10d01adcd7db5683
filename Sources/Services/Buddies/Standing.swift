import Postgres
import Wire

/// An account's progress towards suggestions: agreement to the rules, profile and buddy profile.
struct Standing {
    static let sql = """
        SELECT s.id, a.version, own.birthday IS NOT NULL AS has_profile, own.first_name AS own_first_name,
            own.last_name AS own_last_name, own.gender AS own_gender, own.birthday::text AS own_birthday,
            b.is_active, b.preferred_gender, b.is_gender_only, \(Candidates.card)
        FROM accounts s LEFT JOIN buddy_agreements a ON a.account_id = s.id
        LEFT JOIN profiles own ON own.account_id = s.id LEFT JOIN buddy_profiles b ON b.account_id = s.id
        LEFT JOIN profiles p ON p.account_id = b.account_id
        WHERE s.id = $1
        """

    /// Version of the rules that the account agreed to.
    let agreed: Int?
    let profile: Profile?
    let buddyProfile: BuddyProfile?
    /// Columns of the account's own card; nil without a buddy profile.
    let card: CardRow?

    init(_ row: PostgresRow) throws {
        agreed = try row.optionalInt("version").map { Int($0) }
        profile =
            try row.bool("has_profile")
            ? Profile(
                firstName: try row.text("own_first_name"), lastName: try row.text("own_last_name"),
                birthday: try row.text("own_birthday"), gender: try Gender.stored(try row.text("own_gender"))) : nil
        guard let isActive = try row.optionalBool("is_active") else {
            (buddyProfile, card) = (nil, nil)
            return
        }
        let card = try CardRow(row)
        guard let preference = GenderPreference(rawValue: try row.text("preferred_gender")) else {
            throw PostgresError.decoding(column: "preferred_gender", expected: "a gender, or any")
        }
        let choices = card.choices
        buddyProfile = BuddyProfile(
            active: isActive, preferredGender: preference, genderOnly: try row.bool("is_gender_only"),
            showsAge: card.showsAge, description: card.description, picture: card.picture,
            times: WeekTimes.ids(choices.times), goals: BuddyCatalogue.goals.ids(choices.goals),
            strengths: BuddyCatalogue.strengths.ids(choices.strengths),
            styles: BuddyCatalogue.styles.ids(choices.styles), places: BuddyCatalogue.places.ids(choices.places),
            traits: BuddyCatalogue.traits.ids(choices.traits),
            desiredTraits: BuddyCatalogue.traits.ids(choices.desiredTraits),
            desiredStyles: BuddyCatalogue.styles.ids(choices.desiredStyles))
        self.card = card
    }

    func preview(today: CalendarDay) throws -> BuddyCard? {
        try card?.card(seenBy: nil, isBuddy: false, score: nil, today: today)
    }

    /// - Throws: ``Wire/RPCError`` with the missing precondition of a buddy profile.
    func requireProfile(today: CalendarDay) throws {
        guard agreed == BuddyCatalogue.rulesVersion else {
            throw RPCError(.conflict, "agree to the rules first: buddies.agree")
        }
        guard let profile else { throw RPCError(.conflict, "save your profile first: profile.save") }
        guard let birthday = CalendarDay(profile.birthday), birthday.years(until: today) >= Buddies.ageMin else {
            throw RPCError(.forbidden, "finding a buddy is for people of \(Buddies.ageMin) years and older")
        }
    }

    /// Requires that all preconditions for suggestions are met.
    /// - Returns: The account's own card.
    /// - Throws: ``Wire/RPCError`` with the missing precondition.
    func requireReady(today: CalendarDay) throws -> CardRow {
        try requireProfile(today: today)
        guard let buddyProfile, let card else {
            throw RPCError(.conflict, "save your buddy profile first: buddies.save")
        }
        guard buddyProfile.active else {
            throw RPCError(
                .conflict, "your buddy profile is switched off, so nobody is shown to you: save it with active true")
        }
        return card
    }
}

extension Gender {
    static func stored(_ text: String) throws -> Gender {
        guard let gender = Gender(rawValue: text) else {
            throw PostgresError.decoding(column: "gender", expected: "a gender")
        }
        return gender
    }
}
