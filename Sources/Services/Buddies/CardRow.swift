import Postgres
import Wire

/// Columns of a card (``Candidates/card``). They contain more than others may see; only the result of
/// ``card(seenBy:isBuddy:score:today:)`` may leave the server.
struct CardRow {
    let account: Int64
    let firstName: String
    let lastName: String
    let gender: Gender
    let birthday: String
    let showsAge: Bool
    let description: String
    let picture: String?
    let choices: Choices

    init(_ row: PostgresRow) throws {
        account = try row.int("account_id")
        firstName = try row.text("first_name")
        lastName = try row.text("last_name")
        gender = try Gender.stored(try row.text("gender"))
        birthday = try row.text("birthday")
        showsAge = try row.bool("shows_age")
        description = try row.text("description")
        picture = try row.optionalUUID("picture_id")
        choices = try Choices(row: row)
    }

    /// The card as a viewer may see it.
    /// - Parameters:
    ///   - viewer: Choices of the viewer; nil for a preview without a viewer.
    ///   - isBuddy: Whether the viewer is a buddy, to whom the card shows the full name.
    func card(seenBy viewer: Choices?, isBuddy: Bool, score: Int?, today: CalendarDay) throws -> BuddyCard {
        guard let birthday = CalendarDay(birthday) else {
            throw PostgresError.decoding(column: "birthday", expected: "a day")
        }
        return BuddyCard(
            account: account, name: isBuddy ? "\(firstName) \(lastName)" : firstName,
            age: showsAge ? birthday.years(until: today) : nil,
            ageSpan: showsAge ? nil : Self.ageSpan(bornIn: birthday.year, in: today.year), gender: gender,
            picture: picture, description: description, times: WeekTimes.ids(choices.times),
            goals: BuddyCatalogue.goals.ids(choices.goals),
            strengths: BuddyCatalogue.strengths.ids(choices.strengths),
            styles: BuddyCatalogue.styles.ids(choices.styles), places: BuddyCatalogue.places.ids(choices.places),
            traits: BuddyCatalogue.traits.ids(choices.traits), shared: viewer?.shared(with: choices) ?? [],
            score: score)
    }

    /// Age range by year of birth alone: it changes on New Year's Day for everybody and reveals nothing about the birthday.
    static func ageSpan(bornIn birthYear: Int, in year: Int) -> String {
        switch year - birthYear {
        case ...21: "18–21"
        case ...25: "22–25"
        case ...30: "26–30"
        case ...40: "31–40"
        default: "41+"
        }
    }
}
