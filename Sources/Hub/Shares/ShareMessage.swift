import Wire

/// A message between nodes about shares. As JSON, since there are few messages, and viewers get their content as JSON too.
enum ShareMessage: Codable, Equatable, Sendable {
    /// A share that is watched at a node.
    struct Watched: Codable, Equatable, Sendable {
        var share: Int64
        var owner: Int64
        /// Number of connections in the owner's count of viewers; 0 when there are none any more.
        var watching: Int
        /// When viewers at the node last got a position.
        var seenAt: Timestamp?
    }
    /// A node's state of a share.
    struct Held: Codable, Equatable, Sendable {
        var share: Int64
        var shown: ShownLocation?
        var endClock: Timestamp
    }
    /// A share that has ended in a hidden place, with when viewers learn it.
    struct Ending: Codable, Equatable, Sendable {
        var share: Int64
        var publishedAt: Timestamp
    }
    /// A cell of the map of people.
    struct CellIndex: Codable, Equatable, Sendable, Hashable {
        var x: UInt32
        var y: UInt32
    }

    /// To all, every ``ShareLimits/leaseSeconds``: the shares and cells that are viewed at this node.
    case watched([Watched], cells: [CellIndex])
    /// To all: these shares have ended.
    case ended([Int64])
    /// To all: these shares have ended in a hidden place.
    case ending([Ending])
    /// To all, as a question: the states of these shares, answered by `held`.
    case states([Int64])
    case held([Held])
    /// To all: a share of this account is new or has changed.
    case changed(account: Int64)
    /// To all: all shares of this account have ended, and its location is forgotten.
    case account(Int64)
    /// To all: these accounts have left the conversation.
    case left(Int64, accounts: [Int64])
    /// To all: this account's location is forgotten.
    case cleared(account: Int64)
    /// To all: this account's reported location is forgotten; a pin is not.
    case unreported(account: Int64)
    /// To all: this node has a pin of this account, which holds.
    case pinned(account: Int64, seconds: Double?)
    /// On a share's subject: the location that it shows, in its precision.
    case shown(ShownLocation, share: Int64)
    /// On a cell's subject: the people that this node has in the cell.
    case people([PersonOnMap], more: Int)
    /// The answer without content.
    case done
}
