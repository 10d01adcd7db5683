// Location requests: "Where are you now?", which the other person answers once (N-2).

/// A request for another person's current location.
public struct WhereRequest: Codable, Sendable, Equatable {
    public enum State: String, WireChoice {
        /// Not answered yet.
        case open
        /// Answered. The caller can read the answer once, until it expires.
        case answered
        /// The caller has read the answer, and the server has deleted it.
        case read
        /// The other person declined.
        case declined
        /// The request was not answered, or the answer not read, in time.
        case expired
    }
    public var id: Int64
    /// Person who asks.
    public var from: SharingPerson
    /// Recipient of the question.
    public var to: SharingPerson
    public var state: State
    public var at: Timestamp
    /// Expiry of the request or of its answer.
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

public enum SharingAsk: RPCMethod {
    public static let name = "sharing.ask"
    public static let summary = "Asks a person for the current location. The person can answer once within 10 minutes."
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.invite)]
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client. A repeated request with the same UUID has no further effect.
        public var clientId: String
        /// Username of the person.
        public var username: String?
        /// Account of a buddy, instead of the username.
        @ObjectID public var account: Int64?
        public init(clientId: String, username: String? = nil, account: Int64? = nil) {
            self.clientId = clientId
            self.username = username
            self.account = account
        }
    }
    /// If the other person has blocked the caller, the request looks like one that stays unanswered.
    public typealias Result = LocationRequestReply
}

public struct LocationRequestReply: Codable, Sendable {
    public var request: WhereRequest
    /// Location at the precision that the other person chose. Only `sharing.answered` sends it.
    public var location: SharedLocation?
    public init(request: WhereRequest, location: SharedLocation? = nil) {
        self.request = request
        self.location = location
    }
}

public enum SharingRequests: RPCMethod {
    public static let name = "sharing.requests"
    public static let summary = "Lists open requests to the caller, and the caller's own requests of the last day."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Open requests to the caller, latest first.
        public var toMe: [WhereRequest]
        /// The caller's own requests, latest first.
        public var mine: [WhereRequest]
        public init(toMe: [WhereRequest], mine: [WhereRequest]) {
            self.toMe = toMe
            self.mine = mine
        }
    }
}

public enum SharingAnswer: RPCMethod {
    public static let name = "sharing.answer"
    public static let summary = "Answers a request once with the caller's location, or declines."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var request: Int64
        /// Precision of the answer; nil declines.
        public var precision: Precision?
        public init(request: Int64, precision: Precision? = nil) {
            self.request = request
            self.precision = precision
        }
    }
    /// The request, and the location that the other person will read.
    public typealias Result = LocationRequestReply
}

public enum SharingAnswered: RPCMethod {
    public static let name = "sharing.answered"
    public static let summary = "Returns the answer to one of the caller's requests. It can be read once."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var request: Int64
        public init(request: Int64) { self.request = request }
    }
    public typealias Result = LocationRequestReply
}

extension APIRegistry {
    static let asking: [any RPCMethod.Type] = [
        SharingAsk.self, SharingRequests.self, SharingAnswer.self, SharingAnswered.self,
    ]
}
