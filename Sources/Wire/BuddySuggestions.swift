// Finding a buddy (W-4) and the list of buddies (W-5).

public enum BuddiesSuggestions: RPCMethod {
    public static let name = "buddies.deck"
    public static let summary = "Returns suggestions, best first."
    public static let access = MethodAccess.confirmed
    public static let errors: [ErrorCode] = [.forbidden, .conflict]
    public struct Params: Codable, Sendable {
        /// 1 to 50; default 20.
        @Count public var limit: Int?
        public init(limit: Int? = nil) { self.limit = limit }
    }
    public struct Result: Codable, Sendable {
        /// People of the preferred gender first, then by falling score.
        public var cards: [BuddyCard]
        public init(cards: [BuddyCard]) { self.cards = cards }
    }
}

public enum BuddiesDecide: RPCMethod {
    public static let name = "buddies.decide"
    public static let summary = "Accepts or passes a suggested person. Idempotent."
    public static let access = MethodAccess.confirmed
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// Account of the card.
        @ObjectID public var account: Int64
        /// True accepts, false passes.
        public var accept: Bool
        public init(account: Int64, accept: Bool) {
            self.account = account
            self.accept = accept
        }
    }
    public struct Result: Codable, Sendable {
        /// True if both people have accepted.
        public var matched: Bool
        /// Conversation of the two people, if they matched.
        public var conversation: Int64?
        public init(matched: Bool, conversation: Int64?) {
            self.matched = matched
            self.conversation = conversation
        }
    }
}

/// Number of one account.
public struct AccountParams: Codable, Sendable {
    @ObjectID public var account: Int64
    public init(account: Int64) { self.account = account }
}

public enum BuddiesCard: RPCMethod {
    public static let name = "buddies.card"
    public static let summary = "Returns the card of a buddy or of a person suggested to the caller."
    public static let access = MethodAccess.confirmed
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public typealias Params = AccountParams
    public struct Result: Codable, Sendable {
        public var card: BuddyCard
        /// Conversation with the person; nil unless the two are buddies.
        public var conversation: Int64?
        public init(card: BuddyCard, conversation: Int64?) {
            self.card = card
            self.conversation = conversation
        }
    }
}

public enum BuddiesList: RPCMethod {
    public static let name = "buddies.list"
    public static let summary = "Lists the caller's buddies. Their conversations are in `chat.list`."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Buddy: Codable, Sendable, Equatable {
        public var person: Person
        /// Conversation with the buddy.
        public var conversation: Int64
        /// Time at which both people had accepted.
        public var matchedAt: Timestamp
        public init(person: Person, conversation: Int64, matchedAt: Timestamp) {
            self.person = person
            self.conversation = conversation
            self.matchedAt = matchedAt
        }
    }
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var buddies: [Buddy]
        public init(buddies: [Buddy]) { self.buddies = buddies }
    }
}

public enum BuddiesRemove: RPCMethod {
    public static let name = "buddies.remove"
    public static let summary = "Ends the match for both people and closes their conversation."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = AccountParams
    public typealias Result = AccountParams
}

/// A person as the members of a conversation see them.
public struct Person: Codable, Sendable, Equatable {
    public var account: Int64
    /// Full name of a buddy; first name and initial of the last name of a current or former member of a conversation; otherwise, and
    /// without a profile, the username.
    public var name: String
    /// As the person states it; nil for a stranger and without a profile.
    public var gender: Gender?
    /// Id of a picture that the viewer may fetch; nil for the default drawing of the gender.
    public var picture: String?
    public init(account: Int64, name: String, gender: Gender?, picture: String?) {
        self.account = account
        self.name = name
        self.gender = gender
        self.picture = picture
    }
}

extension APIRegistry {
    static let buddySuggestions: [any RPCMethod.Type] = [
        BuddiesSuggestions.self, BuddiesDecide.self, BuddiesCard.self, BuddiesList.self, BuddiesRemove.self,
    ]
}
