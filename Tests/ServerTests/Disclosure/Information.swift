/// What can leak about a person: the sources of the disclosure matrix.
enum InformationSource: String, CaseIterable, Sendable {
    /// Where the person is or was: positions, routes, buildings, zones.
    case location
    /// Whether the person is connected, watches, or types.
    case presence
    /// What the person does: runs, rides, events, goals, quiet hours.
    case activity
    /// What the person has received and read.
    case receipts
    /// Who the person is: names, address, birthday, gender, picture.
    case identity
    /// What the person wrote: messages, notices, events, searches, names of places.
    case content
}

/// What an attacker is to the person.
enum Relation: String, CaseIterable, Sendable {
    case guest
    /// Has an account, and nothing else to do with the person.
    case stranger
    /// Matched with the person, with a conversation of the two.
    case buddy
    /// Member of a group that the person is a member of.
    case groupmate
    /// Owns a private event to which the person is invited.
    case host
    /// A lecturer who has nothing else to do with the person.
    case lecturer
    case admin

    static let everybody = Set(allCases)
    static let accounts = everybody.subtracting([.guest])
}
