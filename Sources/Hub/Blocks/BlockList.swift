import Bus
import EventLoop
import HubCore
import Wire

/// A feed to which blocks matter. Called on the hub's loop.
protocol BlockObserver: Feed {
    /// A block separates two accounts from now on: when this returns, neither receives anything of the other any more.
    func separated(_ blocker: Int64, _ blocked: Int64)
    /// No block separates the two accounts any more.
    func joinedAgain(_ one: Int64, _ other: Int64)
    /// A guest's connection has signed in as an account that blocks, or is blocked by, these others. Its subscriptions to hidden content
    /// must end.
    func signedIn(_ subscriber: any Subscriber, as account: Int64, apartFrom others: Set<Int64>)
    /// An account has blocked another or lifted its block, also when the other account's block keeps the two separated.
    func blocksChanged(of blocker: Int64)
}

extension BlockObserver {
    func separated(_ blocker: Int64, _ blocked: Int64) {}
    func joinedAgain(_ one: Int64, _ other: Int64) {}
    func signedIn(_ subscriber: any Subscriber, as account: Int64, apartFrom others: Set<Int64>) {}
    func blocksChanged(of blocker: Int64) {}
}

/// The blocks between accounts (B-5), which the feeds ask before they send anything. PostgreSQL has the blocks of all processes, including
/// those whose messages the bus lost.
public actor BlockList: Feed {
    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = []
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    let blocks: Blocks
    private var reading = BlockSync()
    private var subscription: BusSubscription?

    init(_ core: HubCore, blocks: Blocks) {
        self.core = core
        self.blocks = blocks
    }

    /// The feeds to which blocks matter.
    private var observers: [any BlockObserver] { core.allFeeds.compactMap { $0 as? any BlockObserver } }

    /// Sets or lifts the block of `other` by `one`, and notifies the other nodes. When this returns, neither account receives anything
    /// of the other any more. Call it after the commit. Idempotent. O(sessions of the two accounts, and the areas that show them).
    ///
    /// A block in the other direction stays: if both accounts have blocked each other, both must lift their block.
    /// - Parameters:
    ///   - one: The account that blocks.
    ///   - other: The account that is blocked.
    public func set(_ one: Int64, _ other: Int64, isOn: Bool) {
        take(one, other, isOn: isOn)
        publishToNodes(.block(one, other, isOn: isOn), on: NodeSubjects.blocks)
    }

    /// Whether a block separates the two accounts, in either direction.
    public func isBlocked(_ one: Int64?, _ other: Int64?) -> Bool { blocks.hold(between: one, and: other) }

    /// Accounts that the given account neither sees nor is seen by.
    public func blocked(with account: Int64) -> Set<Int64> { blocks[account] }

    /// Notes that a guest's connection has signed in, and ends all that it may not see any more. The account's other connections get
    /// nothing, since a message to them would reveal that a blocked person is there.
    func signIn(_ subscriber: any Subscriber, as account: Int64) {
        core.accounts.note(subscriber, as: account)
        let others = blocks[account]
        guard !others.isEmpty else { return }
        for observer in observers { observer.onLoopSignedIn(subscriber, as: account, apartFrom: others) }
    }

    /// Applies a block that was set or lifted here or at another node.
    private func take(_ one: Int64, _ other: Int64, isOn: Bool) {
        reading.note(one, other)
        apply(one, other, isOn: isOn)
    }

    private func apply(_ one: Int64, _ other: Int64, isOn: Bool) {
        let isNew = blocks.isMade(by: one, of: other) != isOn
        // The blocker's devices reload their lists, on each node as soon as the node knows the block. They do so even where the other
        // account's block holds anyway: leaving the message out would reveal that block. The blocked account gets nothing.
        defer {
            if isNew { for observer in observers { observer.onLoopBlocksChanged(of: one) } }
        }
        guard blocks.set(one, other, isOn: isOn) else { return }
        for observer in observers {
            if isOn { observer.onLoopSeparated(one, other) } else { observer.onLoopJoinedAgain(one, other) }
        }
    }

    // MARK: Stored blocks

    /// Largest number of blocks in one read.
    static let readMax = 5_000
    /// Number of versions below the newest that are read again each time, if their blocks have changed within the last minute.
    ///
    /// Versions come from a sequence: a transaction may commit after one that drew a higher number. No transaction takes a minute, and
    /// the request limits do not allow this many numbers in that time. The overlap also corrects changes that were published in another
    /// order than they were committed in.
    static let versionsOverlap: Int64 = 10_000

    /// Reads all blocks. Call it once, before the server accepts connections; then call ``readChanges()`` periodically.
    /// - Throws: The store's error.
    public func load(from store: any BlockStore) async throws {
        reading.store = store
        try await readChanges()
    }

    /// Reads the changed blocks and applies them at once. One reading runs at a time; a further call waits for it.
    /// - Throws: The store's error; the blocks that were read until then are applied.
    public func readChanges() async throws {
        guard let store = reading.store else { return }
        while reading.isInFlight { await loop.sleep(for: .milliseconds(5)) }
        reading.isInFlight = true
        defer { reading.isInFlight = false }
        let version = reading.version
        var floor = max(0, version - Self.versionsOverlap)
        var page: [StoredBlock]
        repeat {
            page = try await store.blocks(above: floor, changedSince: version, limit: Self.readMax)
            for block in page {
                floor = max(floor, block.version)
                guard !reading.isOvertaken(block) else { continue }
                apply(block.blocker, block.blocked, isOn: block.isOn)
            }
            reading.version = max(reading.version, floor)
        } while page.count == Self.readMax
    }

    // MARK: Other nodes

    func joinNodes() throws {
        subscription = try listen(to: NodeSubjects.blocks.map { .init($0) }) { $0.receive($1) }
    }

    private func receive(_ event: BusEvent) {
        switch event {
        case .live:
            // Blocks that were announced before this are stored. If they cannot be read now, the next confirmation finds them.
            Task { try? await readChanges() }
        case .missed: core.markInDoubt()
        case .message(let message):
            guard case .block(let one, let other, let isOn)? = read(message) else { return core.markInDoubt() }
            take(one, other, isOn: isOn)
        }
    }

    package func leftNodes() {
        subscription?.cancel()
        subscription = nil
    }

    package func confirm() async throws -> (@Sendable () -> Void)? {
        if link?.isInDoubt == true { try await readChanges() }
        return nil
    }
}

/// The calls of ``BlockList``, on the loop.
extension BlockObserver {
    nonisolated func onLoopSeparated(_ blocker: Int64, _ blocked: Int64) {
        assumeIsolated { $0.separated(blocker, blocked) }
    }
    nonisolated func onLoopJoinedAgain(_ one: Int64, _ other: Int64) { assumeIsolated { $0.joinedAgain(one, other) } }
    nonisolated func onLoopSignedIn(
        _ subscriber: any Subscriber, as account: Int64, apartFrom others: Set<Int64>
    ) {
        assumeIsolated { $0.signedIn(subscriber, as: account, apartFrom: others) }
    }
    nonisolated func onLoopBlocksChanged(of blocker: Int64) { assumeIsolated { $0.blocksChanged(of: blocker) } }
}
