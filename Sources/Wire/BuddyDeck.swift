// Finding a buddy (W-4), and those that were found (W-5).

/// `buddies.deck`: suggestions, best first.
public enum BuddiesDeck: RPCMethod {
    public static let name = "buddies.deck"
    public static let access = MethodAccess.accounts
    /// How many.
    public struct Params: Codable, Sendable {
        /// 1 to 50; 20 unless given.
        @Count public var limit: Int?
        public init(limit: Int? = nil) { self.limit = limit }
    }
    /// The suggestions.
    public struct Result: Codable, Sendable {
        /// People of the preferred gender first; then by score.
        public var cards: [BuddyCard]
        public init(cards: [BuddyCard]) { self.cards = cards }
    }
}

/// `buddies.decide`: accept or pass one who was suggested. Sent again, it is the same decision.
public enum BuddiesDecide: RPCMethod {
    public static let name = "buddies.decide"
    public static let access = MethodAccess.accounts
    /// What was decided.
    public struct Params: Codable, Sendable {
        /// Of the card.
        @ObjectID public var account: Int64
        /// False passes.
        public var accept: Bool
        public init(account: Int64, accept: Bool) {
            self.account = account
            self.accept = accept
        }
    }
    /// What came of it.
    public struct Result: Codable, Sendable {
        /// Both accepted.
        public var matched: Bool
        /// Theirs, then.
        public var conversation: Int64?
        public init(matched: Bool, conversation: Int64?) {
            self.matched = matched
            self.conversation = conversation
        }
    }
}

/// Somebody, by account.
public struct AccountParams: Codable, Sendable {
    /// The account's number.
    @ObjectID public var account: Int64
    public init(account: Int64) { self.account = account }
}

/// `buddies.card`: a buddy, or somebody who is suggested to one.
public enum BuddiesCard: RPCMethod {
    public static let name = "buddies.card"
    public static let access = MethodAccess.accounts
    public typealias Params = AccountParams
    /// The card.
    public struct Result: Codable, Sendable {
        /// The card.
        public var card: BuddyCard
        /// The conversation with them, when they are a buddy.
        public var conversation: Int64?
        public init(card: BuddyCard, conversation: Int64?) {
            self.card = card
            self.conversation = conversation
        }
    }
}

/// `buddies.list`: those who were found. Their conversations are in `chat.list`.
public enum BuddiesList: RPCMethod {
    public static let name = "buddies.list"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// A buddy.
    public struct Buddy: Codable, Sendable, Equatable {
        /// Who.
        public var person: Person
        /// The conversation with them.
        public var conversation: Int64
        /// When both had accepted.
        public var matchedAt: Timestamp
        public init(person: Person, conversation: Int64, matchedAt: Timestamp) {
            self.person = person
            self.conversation = conversation
            self.matchedAt = matchedAt
        }
    }
    /// All of them.
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var buddies: [Buddy]
        public init(buddies: [Buddy]) { self.buddies = buddies }
    }
}

/// `buddies.remove`: on both sides; their conversation ends (W-5).
public enum BuddiesRemove: RPCMethod {
    public static let name = "buddies.remove"
    public static let access = MethodAccess.accounts
    public typealias Params = AccountParams
    public typealias Result = AccountParams
}

/// Somebody as the members of a conversation see them.
public struct Person: Codable, Sendable, Equatable {
    /// The account's number.
    public var account: Int64
    /// Of a buddy the full name; of who is or was in a conversation the first name and the last's initial; of others, and without a
    /// profile, the username.
    public var name: String
    /// As they say; nil of a stranger, and without a profile.
    public var gender: Gender?
    /// The id of a picture that the viewer may fetch; nil for the drawing that goes with the gender.
    public var picture: String?
    public init(account: Int64, name: String, gender: Gender?, picture: String?) {
        self.account = account
        self.name = name
        self.gender = gender
        self.picture = picture
    }
}
