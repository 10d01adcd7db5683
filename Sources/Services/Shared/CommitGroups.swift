import DequeModule
import EventLoop
import Metrics
import Postgres
import Wire

/// Items that are committed in groups: what arrives within the window, or while a group is being committed, is the next one. One
/// group is under way at a time, so that what is told of commits is told in their order.
///
/// `@unchecked Sendable`: confined to its loop.
final class CommitGroups<Item: Sendable, Answer: Sendable>: @unchecked Sendable {
    /// Seconds that a sender waits before it sends again when too many wait.
    static var overloadRetrySeconds: Double { 1 }

    /// What there is at most.
    struct Limits {
        /// How long the first of a group waits for company.
        var window = Duration.milliseconds(2)
        /// Items of a group.
        var groupItemsMax = 256
        /// Bytes of a group, which has at least one item.
        var groupBytesMax = 1_048_576
        /// Items that may wait for their group.
        var waitingItemsMax = 4_096
        /// Bytes of them.
        var waitingBytesMax = 16 * 1_048_576
    }

    private struct Waiting {
        let item: Item
        let bytes: Int
        let continuation: CheckedContinuation<Answer, any Error>
    }

    /// Commits a group.
    typealias Commit = @Sendable ([Item]) async throws -> Committed

    /// What came of a group.
    struct Committed: Sendable {
        /// Of each item, in their order.
        var answers: [Result<Answer, any Error>]
        /// Tells others, once those who sent are answered.
        var behind: (@Sendable () async -> Void)?
    }

    private let loop: EventLoop
    private let limits: Limits
    private let refused: Counter
    private let commit: Commit
    /// Told of groups that failed; whether they were committed is known only when PostgreSQL says that they were not.
    private let failed: @Sendable ([Item], any Error) async -> Void
    private var waiting = Deque<Waiting>()
    private var waitingBytes = 0
    private var isWriting = false

    /// - Parameters:
    ///   - refused: Counts items that found the queue full.
    ///   - commit: Called on the loop.
    ///   - failed: Called on the loop.
    init(
        loop: EventLoop, limits: Limits = Limits(), refused: Counter, commit: @escaping Commit,
        failed: @escaping @Sendable ([Item], any Error) async -> Void
    ) {
        self.loop = loop
        self.limits = limits
        self.refused = refused
        self.commit = commit
        self.failed = failed
    }

    /// Returns once the item's group is committed. On the loop, as its owner is isolated to.
    /// - Throws: ``Wire/RPCError`` `unavailable` when too many wait, and what the commit throws.
    func submit(
        _ item: Item, bytes: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Answer {
        loop.preconditionIsolated()
        return try await withCheckedThrowingContinuation { continuation in
            guard waiting.count < limits.waitingItemsMax, waitingBytes + bytes <= limits.waitingBytesMax else {
                refused.add()
                return continuation.resume(
                    throwing: RPCError(
                        .unavailable, "too many messages wait: send again in a second",
                        retryAfter: Self.overloadRetrySeconds))
            }
            waiting.append(Waiting(item: item, bytes: bytes, continuation: continuation))
            waitingBytes += bytes
            guard !isWriting else { return }
            isWriting = true
            Task(executorPreference: loop) { [self] in await writeGroups() }
        }
    }

    private func writeGroups() async {
        await loop.sleep(for: limits.window)
        while !waiting.isEmpty { await write(nextGroup()) }
        isWriting = false
    }

    private func nextGroup() -> [Waiting] {
        var group: [Waiting] = []
        var bytes = 0
        while let next = waiting.first, group.count < limits.groupItemsMax, bytes < limits.groupBytesMax {
            bytes += next.bytes
            group.append(waiting.removeFirst())
        }
        waitingBytes -= bytes
        return group
    }

    private func write(_ group: [Waiting]) async {
        let items = group.map(\.item)
        do {
            let committed = try await commit(items)
            for (one, answer) in zip(group, committed.answers) { one.continuation.resume(with: answer) }
            await committed.behind?()
        } catch {
            // One of them is at fault, and only that one is to hear of it.
            if case .server? = error as? PostgresError, (error as? PostgresError)?.isStorageFull == false,
                group.count > 1
            {
                for one in group { await write([one]) }
                return
            }
            for one in group { one.continuation.resume(throwing: error) }
            await failed(items, error)
        }
    }
}
