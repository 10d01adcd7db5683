// "Where are you now?": a question that is answered once (N-2).

/// A question where somebody is.
public struct WhereRequest: Codable, Sendable, Equatable {
    /// What became of it.
    public enum State: String, WireChoice {
        /// It waits for an answer.
        case open
        /// It was answered; the answer can be read once, until it expires.
        case answered
        /// The answer was read, and is gone.
        case read
        /// The other does not want to say.
        case declined
        /// Nobody answered, or nobody read it, in time.
        case expired
    }
    /// Its number.
    public var id: Int64
    /// Who asks.
    public var from: SharingPerson
    /// Who is asked.
    public var to: SharingPerson
    /// What became of it.
    public var state: State
    /// When it was asked.
    public var at: Timestamp
    /// When it, or the answer, is void.
    public var expiresAt: Timestamp
    public init(
        id: Int64, from: SharingPerson, to: SharingPerson, state: State, at: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.from = from
        self.to = to
        self.state = state
        self.at = at
        self.expiresAt = expiresAt
    }
}

/// `sharing.ask`: asks somebody where they are. They may answer once, within 10 minutes, or not at all.
public enum SharingAsk: RPCMethod {
    public static let name = "sharing.ask"
    public static let access = MethodAccess.accounts
    /// Whom.
    public struct Params: Codable, Sendable {
        /// A UUID of the client's: sent again, it is the same question.
        public var clientId: String
        /// Their username.
        public var username: String?
        /// In place of the username: the account of a buddy.
        @ObjectID public var account: Int64?
        public init(clientId: String, username: String? = nil, account: Int64? = nil) {
            self.clientId = clientId
            self.username = username
            self.account = account
        }
    }
    /// The question. Of somebody who has blocked the caller it looks like one that is never answered.
    public typealias Result = WhereReply
}

/// A question.
public struct WhereReply: Codable, Sendable {
    /// As it is now.
    public var request: WhereRequest
    /// With `sharing.answered`: where they were, as exactly as they wanted.
    public var location: SharedLocation?
    public init(request: WhereRequest, location: SharedLocation? = nil) {
        self.request = request
        self.location = location
    }
}

/// `sharing.requests`: questions to the caller that wait, and the caller's own of the last day.
public enum SharingRequests: RPCMethod {
    public static let name = "sharing.requests"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// Both.
    public struct Result: Codable, Sendable {
        /// To the caller, that wait; latest first.
        public var toMe: [WhereRequest]
        /// The caller's own; latest first.
        public var mine: [WhereRequest]
        public init(toMe: [WhereRequest], mine: [WhereRequest]) {
            self.toMe = toMe
            self.mine = mine
        }
    }
}

/// `sharing.answer`: says once where the caller is, or that they do not want to.
public enum SharingAnswer: RPCMethod {
    public static let name = "sharing.answer"
    public static let access = MethodAccess.accounts
    /// Which, and how exactly.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var request: Int64
        /// How exactly; nil to decline.
        public var precision: Precision?
        public init(request: Int64, precision: Precision? = nil) {
            self.request = request
            self.precision = precision
        }
    }
    /// What the caller gets: the question, and what the other will read.
    public typealias Result = WhereReply
}

/// `sharing.answered`: reads the answer to a question of the caller's. It can be read once.
public enum SharingAnswered: RPCMethod {
    public static let name = "sharing.answered"
    public static let access = MethodAccess.accounts
    /// Which.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var request: Int64
        public init(request: Int64) { self.request = request }
    }
    public typealias Result = WhereReply
}
