import EventLoop

/// One direction of a block, as it is stored.
public struct StoredBlock: Sendable, Equatable {
    public var blocker: Int64
    public var blocked: Int64
    /// False when it was lifted.
    public var isOn: Bool
    /// Larger with each change of any block; from 1.
    public var version: Int64

    public init(blocker: Int64, blocked: Int64, isOn: Bool, version: Int64) {
        self.blocker = blocker
        self.blocked = blocked
        self.isOn = isOn
        self.version = version
    }
}

/// Reads the stored blocks, including lifted ones.
public protocol BlockStore: Sendable {
    /// Blocks that have changed, in the order of their versions.
    /// - Parameters:
    ///   - floor: Only blocks with a version above this one.
    ///   - version: Blocks with a version up to this one only if they have changed within the last minute.
    ///   - limit: Largest number of blocks.
    func blocks(above floor: Int64, changedSince version: Int64, limit: Int) async throws -> [StoredBlock]
}

/// Progress of the reading of stored blocks. Confined to the hub.
struct BlockSync {
    private struct Direction: Hashable {
        let blocker: Int64
        let blocked: Int64
    }

    var store: (any BlockStore)?
    /// The newest version that was read.
    var version: Int64 = 0
    var isInFlight = false { didSet { changedDuringRead = [] } }
    /// Blocks that changed since the reading began; these changes are newer than the rows that the reading finds.
    private var changedDuringRead: Set<Direction> = []

    /// Notes a change that was published by its originator.
    mutating func note(_ blocker: Int64, _ blocked: Int64) {
        if isInFlight { changedDuringRead.insert(Direction(blocker: blocker, blocked: blocked)) }
    }

    func isOvertaken(_ block: StoredBlock) -> Bool {
        changedDuringRead.contains(Direction(blocker: block.blocker, blocked: block.blocked))
    }
}
