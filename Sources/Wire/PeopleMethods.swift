/// A person whom the caller knows, with the username that maps and sessions show.
public struct KnownPerson: Codable, Sendable, Equatable {
    public var account: Int64
    /// Username as in ``Runner/name`` and ``Presence``.
    public var username: String
    /// Name as in ``Person/name``.
    public var name: String
    /// As in ``Person/gender``.
    public var gender: Gender?
    /// As in ``Person/picture``.
    public var picture: String?

    public init(account: Int64, username: String, name: String, gender: Gender? = nil, picture: String? = nil) {
        self.account = account
        self.username = username
        self.name = name
        self.gender = gender
        self.picture = picture
    }
}

public enum PeopleKnown: RPCMethod {
    public static let name = "people.known"
    public static let summary = """
        Returns names and pictures of the caller, buddies and members of shared conversations, so that a client can \
        show the same name of a person everywhere.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// The caller, then buddies, then others; at most 2,000.
        public var people: [KnownPerson]
        public init(people: [KnownPerson]) { self.people = people }
    }
}

extension APIRegistry {
    static let people: [any RPCMethod.Type] = [PeopleKnown.self]
}
