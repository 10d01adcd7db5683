/// Somebody whom the caller knows, with the username that maps and sessions carry.
public struct KnownPerson: Codable, Sendable, Equatable {
    /// The account's number.
    public var account: Int64
    /// As ``Runner/name`` and ``Presence`` carry it.
    public var username: String
    /// As ``Person/name``.
    public var name: String
    /// As ``Person/gender``.
    public var gender: Gender?
    /// As ``Person/picture``.
    public var picture: String?

    public init(account: Int64, username: String, name: String, gender: Gender? = nil, picture: String? = nil) {
        self.account = account
        self.username = username
        self.name = name
        self.gender = gender
        self.picture = picture
    }
}

/// `people.known`: names and pictures of the caller, buddies and members of the same conversations, so that clients show one name of
/// a person everywhere.
public enum PeopleKnown: RPCMethod {
    public static let name = "people.known"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// All of them.
    public struct Result: Codable, Sendable {
        /// The caller, then buddies, then others; at most 2,000.
        public var people: [KnownPerson]
        public init(people: [KnownPerson]) { self.people = people }
    }
}
