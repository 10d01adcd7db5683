import Wire

/// What nodes tell each other of shares. As JSON: it is little, and what it says is what viewers get.
enum ShareMessage: Codable, Equatable, Sendable {
    /// A share that somebody watches at a node.
    struct Watched: Codable, Equatable, Sendable {
        var share: Int64
        var owner: Int64
        /// Connections but for the owner's; 0 when there are none any more.
        var watching: Int
        /// When viewers there last got a position.
        var seenAt: Timestamp?
    }
    /// What a node has of a share.
    struct Held: Codable, Equatable, Sendable {
        var share: Int64
        var shown: ShownLocation?
        var endClock: Timestamp
    }
    /// A share that has ended in a hidden place, and when viewers learn it.
    struct Ending: Codable, Equatable, Sendable {
        var share: Int64
        var toldAt: Timestamp
    }
    /// A cell of the map of people.
    struct Place: Codable, Equatable, Sendable, Hashable {
        var x: UInt32
        var y: UInt32
    }

    /// To all, every ``ShareLimits/leaseSeconds``: what is watched at this node.
    case watched([Watched], cells: [Place])
    /// To all: these have ended.
    case ended([Int64])
    /// To all: these have ended in a hidden place.
    case ending([Ending])
    /// To all: a question what they have of these, answered by `held`.
    case look([Int64])
    case held([Held])
    /// To all: a share of this account began or is another now.
    case changed(account: Int64)
    /// To all: all that this account shares has ended, and where it is is forgotten.
    case account(Int64)
    /// To all: these accounts are not in the conversation any more.
    case left(Int64, accounts: [Int64])
    /// To all: where this account is is forgotten.
    case cleared(account: Int64)
    /// To all: where this account's devices reported it is forgotten; a pin is not.
    case unreported(account: Int64)
    /// To all: this node has a pin of this account's, and it holds.
    case pinned(account: Int64, seconds: Double?)
    /// About a share: what it tells, in its precision.
    case shown(ShownLocation, share: Int64)
    /// About a cell: everybody whom this node has there.
    case people([PersonOnMap], more: Int)
    /// The answer.
    case done
}
