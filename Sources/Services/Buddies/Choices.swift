import Postgres
import Wire

/// Selected options as bit masks, see ``BuddyCatalogue``.
struct Choices: Sendable {
    /// Columns of `buddy_profiles`, in the order of ``values``.
    static let columns = [
        "times", "goals", "strengths", "styles", "places", "traits", "desired_traits", "desired_styles",
    ]

    var times: Int64
    var goals: Int64
    var strengths: Int64
    var styles: Int64
    var places: Int64
    var traits: Int64
    var desiredTraits: Int64
    var desiredStyles: Int64

    /// - Throws: ``Wire/RPCError`` with the unknown option, or the field with too many.
    init(_ profile: BuddyProfile) throws {
        times = try WeekTimes.mask(profile.times)
        goals = try BuddyCatalogue.goals.mask(profile.goals)
        strengths = try BuddyCatalogue.strengths.mask(profile.strengths)
        styles = try BuddyCatalogue.styles.mask(profile.styles)
        places = try BuddyCatalogue.places.mask(profile.places)
        traits = try BuddyCatalogue.traits.mask(profile.traits)
        desiredTraits = try BuddyCatalogue.traits.mask(profile.desiredTraits, field: "desiredTraits")
        desiredStyles = try BuddyCatalogue.styles.mask(profile.desiredStyles, field: "desiredStyles")
    }

    init(row: PostgresRow) throws {
        times = try row.int("times")
        goals = try row.int("goals")
        strengths = try row.int("strengths")
        styles = try row.int("styles")
        places = try row.int("places")
        traits = try row.int("traits")
        desiredTraits = try row.int("desired_traits")
        desiredStyles = try row.int("desired_styles")
    }

    /// Column values in the order of ``columns``.
    var values: [PostgresValue] {
        [times, goals, strengths, styles, places, traits, desiredTraits, desiredStyles].map { .int($0) }
    }

    /// Ids of the other's options that match: both selected them, or these choices wish for them.
    func shared(with other: Choices) -> [String] {
        WeekTimes.ids(times & other.times) + BuddyCatalogue.goals.ids(goals & other.goals)
            + BuddyCatalogue.styles.ids((styles | desiredStyles) & other.styles)
            + BuddyCatalogue.places.ids(places & other.places)
            + BuddyCatalogue.traits.ids(desiredTraits & other.traits)
    }
}
