import Wire

/// The profile of a sample person.
struct SampleProfile: Sendable {
    /// Beginning of every sample's description of themselves.
    static let mark = "A sample, not a person."

    let username: String
    let firstName: String
    let lastName: String
    let birthday: String
    let gender: Gender
    let degree: String
    /// Sentence of the buddy profile.
    let words: String
    /// Ids of kinds of workouts.
    let interests: [String]
}
