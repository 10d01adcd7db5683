import Synchronization
import TestSupport
import Testing

@testable import Hub

/// Blocks that a test stores, with a hook that runs while they are read.
private final class FakeBlocks: BlockStore {
    private let state = Mutex((blocks: [StoredBlock](), reads: [Int64]()))
    private let whileRead = Mutex<(@Sendable () async -> Void)?>(nil)

    var reads: [Int64] { state.withLock { $0.reads } }

    func add(_ blocker: Int64, _ blocked: Int64, _ version: Int64, isOn: Bool = true) {
        state.withLock {
            $0.blocks.append(.init(blocker: blocker, blocked: blocked, isOn: isOn, version: version))
        }
    }

    func run(whileRead body: @escaping @Sendable () async -> Void) { whileRead.withLock { $0 = body } }

    func blocks(above floor: Int64, changedSince version: Int64, limit: Int) async throws -> [StoredBlock] {
        let found = state.withLock { state in
            state.reads.append(floor)
            return state.blocks.filter { $0.version > floor }.sorted { $0.version < $1.version }.prefix(limit)
        }
        let body = whileRead.withLock { body in
            defer { body = nil }
            return body
        }
        await body?()
        return Array(found)
    }
}

@Suite("Blocks as they are stored")
struct BlockStoreTests {
    let stage = Stage()

    @Test("Stored blocks are all read at the start, page by page, and lifted ones do not hold")
    func start() async throws {
        let store = FakeBlocks()
        let count = Int64(BlockList.readMax) + 10
        for version in 1...count { store.add(1, version + 1, version, isOn: version != 5) }
        try await stage.hub.blocks.load(from: store)
        #expect(store.reads == [0, Int64(BlockList.readMax)])
        #expect(await stage.hub.blocks.isBlocked(count + 1, 1))
        #expect(await stage.hub.blocks.isBlocked(1, 2))
        #expect(await !stage.hub.blocks.isBlocked(1, 6))
        #expect(await !stage.hub.blocks.isBlocked(2, 3))
        #expect(await !stage.hub.blocks.isBlocked(nil, 1))
    }

    @Test("Stored blocks are found when they change, though they commit behind one with a higher version")
    func late() async throws {
        let store = FakeBlocks()
        store.add(1, 100, 100_000)
        try await stage.hub.blocks.load(from: store)
        store.add(2, 100, 100_000 - BlockList.versionsOverlap + 1)
        store.add(1, 100, 100_001, isOn: false)
        try await stage.hub.blocks.readChanges()
        #expect(await stage.hub.blocks.isBlocked(2, 100))
        #expect(await !stage.hub.blocks.isBlocked(1, 100))
    }

    @Test("Stored blocks do not undo what was announced while they were read")
    func overtaken() async throws {
        let store = FakeBlocks()
        let hub = stage.hub
        store.add(1, 100, 1, isOn: false)
        store.run { await hub.blocks.set(1, 100, isOn: true) }
        try await hub.blocks.load(from: store)
        #expect(await hub.blocks.isBlocked(1, 100))
        // The next look finds it as it is.
        store.add(1, 100, 2)
        try await hub.blocks.readChanges()
        #expect(await hub.blocks.isBlocked(1, 100))
    }

    @Test("Stored blocks cut viewers when only the database has them")
    func cutting() async throws {
        let store = FakeBlocks()
        try await stage.hub.blocks.load(from: store)
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7, as: Viewer(accountID: 100))
        _ = try await viewer.events()
        store.add(1, 100, 1)
        try await stage.hub.blocks.readChanges()
        #expect(try await viewer.zoneUpdates().map(\.left) == [[.init(session: 1, reason: .hidden)]])
    }
}
