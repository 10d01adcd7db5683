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
    var isUnderWay = false { didSet { told = [] } }
    /// Blocks that changed since the reading began; these changes are newer than the rows that the reading finds.
    private var told: Set<Direction> = []

    /// Notes a change that was published by its originator.
    mutating func note(_ blocker: Int64, _ blocked: Int64) {
        if isUnderWay { told.insert(Direction(blocker: blocker, blocked: blocked)) }
    }

    func isOvertaken(_ block: StoredBlock) -> Bool {
        told.contains(Direction(blocker: block.blocker, blocked: block.blocked))
    }
}

/// Stored blocks: PostgreSQL has the blocks of all processes, including those whose messages the bus lost.
extension Hub {
    /// Largest number of blocks in one read.
    static let blocksPerReadMax = 5_000
    /// Number of versions below the newest that are read again each time, if their blocks have changed within the last minute.
    ///
    /// Versions come from a sequence: a transaction may commit after one that drew a higher number. No transaction takes a minute, and
    /// the request limits do not allow this many numbers in that time. The overlap also corrects changes that were published in another
    /// order than they were committed in.
    static let blockVersionsOverlap: Int64 = 10_000

    /// Reads all blocks. Call it once, before the server accepts connections; then call ``readBlocks()`` periodically.
    /// - Throws: The store's error.
    public func loadBlocks(from store: any BlockStore) async throws {
        blockReading.store = store
        try await readBlocks()
    }

    /// Reads the changed blocks and applies them at once. One reading runs at a time; a further call waits for it.
    /// - Throws: The store's error; the blocks that were read until then are applied.
    public func readBlocks() async throws {
        guard let store = blockReading.store else { return }
        while blockReading.isUnderWay { await loop.sleep(for: .milliseconds(5)) }
        blockReading.isUnderWay = true
        defer { blockReading.isUnderWay = false }
        let version = blockReading.version
        var floor = max(0, version - Self.blockVersionsOverlap)
        var page: [StoredBlock]
        repeat {
            page = try await store.blocks(above: floor, changedSince: version, limit: Self.blocksPerReadMax)
            for block in page {
                floor = max(floor, block.version)
                guard !blockReading.isOvertaken(block) else { continue }
                apply(block.blocker, block.blocked, isOn: block.isOn)
            }
            blockReading.version = max(blockReading.version, floor)
        } while page.count == Self.blocksPerReadMax
    }
}
