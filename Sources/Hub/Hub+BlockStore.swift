import EventLoop

/// A block as it is stored: one direction of it.
public struct StoredBlock: Sendable, Equatable {
    /// Who made it.
    public var blocker: Int64
    /// Whom it blocks.
    public var blocked: Int64
    /// False when it was lifted.
    public var isOn: Bool
    /// Larger with each change of any block; from 1.
    public var version: Int64

    /// Memberwise.
    public init(blocker: Int64, blocked: Int64, isOn: Bool, version: Int64) {
        self.blocker = blocker
        self.blocked = blocked
        self.isOn = isOn
        self.version = version
    }
}

/// Reads the blocks that are stored, lifted ones as well.
public protocol BlockStore: Sendable {
    /// Blocks that have changed, in the order of their versions.
    /// - Parameters:
    ///   - floor: Only those with a version above this one.
    ///   - version: Those with a version up to this one only if they have changed within the last minute.
    ///   - limit: At most so many.
    func blocks(above floor: Int64, changedSince version: Int64, limit: Int) async throws -> [StoredBlock]
}

/// How far the hub has read. Confined to it.
struct BlockReading {
    private struct Direction: Hashable {
        let blocker: Int64
        let blocked: Int64
    }

    var store: (any BlockStore)?
    /// The newest that was read.
    var version: Int64 = 0
    var isUnderWay = false { didSet { told = [] } }
    /// What was told since the reading began, and is newer than what it finds.
    private var told: Set<Direction> = []

    /// A change is told by who made it.
    mutating func note(_ blocker: Int64, _ blocked: Int64) {
        if isUnderWay { told.insert(Direction(blocker: blocker, blocked: blocked)) }
    }

    func isOvertaken(_ block: StoredBlock) -> Bool {
        told.contains(Direction(blocker: block.blocker, blocked: block.blocked))
    }
}

/// Blocks as PostgreSQL has them: whatever process made them, and whatever the bus has lost.
extension Hub {
    /// Blocks that are read at a time.
    static let blocksPerReadMax = 5_000
    /// Versions are numbers of a sequence: a transaction may commit behind one that drew a higher number. Of so many below the newest,
    /// what has changed within the last minute is read again each time: no transaction takes that long, and not so many numbers are
    /// drawn meanwhile while the limits of requests hold. That also makes good what was told in another order than it was committed in.
    static let blockVersionsOverlap: Int64 = 10_000

    /// Reads all blocks. Once, before anybody is served; then ``readBlocks()`` again and again.
    /// - Throws: What the store says.
    public func loadBlocks(from store: any BlockStore) async throws {
        blockReading.store = store
        try await readBlocks()
    }

    /// Reads what is new, and has it hold at once. One reading at a time: a further one begins behind it.
    /// - Throws: What the store says; what was read until then holds.
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
