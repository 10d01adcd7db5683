import DequeModule
import EventLoop
import Metrics
import Postgres
import Wire

/// Group commit: collects the items that arrive within a window, or during the previous commit, and commits them in one transaction.
///
/// The database works on one group at a time, and answers are delivered in commit order. The next group is collected meanwhile, so
/// neither the server nor the database waits for the other.
///
/// `@unchecked Sendable`: confined to its loop.
final class CommitGroups<Item: Sendable, Answer: Sendable>: @unchecked Sendable {
    /// Seconds after which a sender may retry when the queue is full.
    static var overloadRetrySeconds: Double { 1 }
    /// Largest number of answered groups that may await delivery of their answers before the next group is written.
    static var undeliveredGroupsMax: Int { 1 }

    /// Limits of group size and queue length.
    struct Limits {
        /// Time for which the first item of a group waits for further items.
        var window = Duration.milliseconds(2)
        /// Largest number of items in a group.
        var groupItemsMax = 256
        /// Bytes at which a group is full; a group has at least one item.
        var groupBytesMax = 1_048_576
        /// Largest number of items waiting for a group.
        var waitingItemsMax = 4_096
        /// Largest total size of the waiting items, in bytes.
        var waitingBytesMax = 16 * 1_048_576
    }

    /// Receives an item's answer, on the loop.
    typealias Completion = @Sendable (Result<Answer, any Error>) -> Void

    /// Sends a group to the database.
    typealias Write = @Sendable ([Item], @escaping @Sendable (Result<[PostgresRows], any Error>) -> Void) -> Void

    /// Converts the database's rows into answers; the number is the commit's duration in nanoseconds.
    typealias Read = @Sendable ([Item], [PostgresRows], UInt64) async throws -> Committed

    /// Outcome of a committed group.
    struct Committed: Sendable {
        /// One answer per item, in the items' order.
        var answers: [Result<Answer, any Error>]
        /// Publishes the changes to subscribers after the senders have their answers.
        var behind: (@Sendable () async -> Void)?
    }

    private struct Waiting {
        let item: Item
        let bytes: Int
        let completion: Completion
    }

    /// A group whose database answer has arrived.
    private struct Answered {
        let group: [Waiting]
        let result: Result<[PostgresRows], any Error>
        let nanoseconds: UInt64
    }

    private let loop: EventLoop
    private let limits: Limits
    private let refused: Counter
    private let write: Write
    private let read: Read
    /// Receives groups that failed. Their outcome is in doubt unless PostgreSQL reported that it did not commit them.
    private let failed: @Sendable ([Item], any Error) async -> Void
    private let key: @Sendable (Item) -> [String]
    private var waiting = Deque<Waiting>()
    private var waitingBytes = 0
    /// Items of a group that PostgreSQL rejected; each is retried as a group of its own.
    private var alone = Deque<Waiting>()
    private var isWindowOpen = false
    private var isWriting = false
    private var answered = Deque<Answered>()
    private var isDelivering = false

    /// - Parameters:
    ///   - refused: Counts items rejected because the queue was full.
    ///   - key: Conflict keys of an item. Items with a common key never share a group, so that the later one sees the earlier one's
    ///     effect.
    ///   - write: Called on the loop.
    ///   - read: Called on the loop.
    ///   - failed: Called on the loop.
    init(
        loop: EventLoop, limits: Limits = Limits(), refused: Counter,
        key: @escaping @Sendable (Item) -> [String] = { _ in [] },
        write: @escaping Write, read: @escaping Read, failed: @escaping @Sendable ([Item], any Error) async -> Void
    ) {
        self.loop = loop
        self.limits = limits
        self.refused = refused
        self.key = key
        self.write = write
        self.read = read
        self.failed = failed
    }

    /// Commits an item and returns its answer. Call it on the loop, from the isolation of the owner.
    /// - Throws: ``Wire/RPCError`` `unavailable` when the queue is full; errors of the commit.
    func submit(
        _ item: Item, bytes: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            submit(item, bytes: bytes) { continuation.resume(with: $0) }
        }
    }

    /// Commits an item and passes its answer to `completion`, for callers without a task. Call it on the loop.
    func submit(_ item: Item, bytes: Int, completion: @escaping Completion) {
        loop.preconditionIsolated()
        guard waiting.count < limits.waitingItemsMax, waitingBytes + bytes <= limits.waitingBytesMax else {
            refused.add()
            return completion(
                .failure(
                    RPCError(
                        .unavailable, "too many messages wait: send again in a second",
                        retryAfter: Self.overloadRetrySeconds)))
        }
        waiting.append(Waiting(item: item, bytes: bytes, completion: completion))
        waitingBytes += bytes
        guard !isWriting, !isWindowOpen else { return }
        isWindowOpen = true
        loop.schedule(after: limits.window) { [self] in
            isWindowOpen = false
            writeNext()
        }
    }

    private func writeNext() {
        guard !isWriting, answered.count + (isDelivering ? 1 : 0) <= Self.undeliveredGroupsMax, let group = nextGroup()
        else {
            return
        }
        isWriting = true
        let started = EventLoop.nowNanoseconds
        write(group.map(\.item)) { [self] result in
            isWriting = false
            if Self.mustRetrySeparately(group, result) {
                alone.append(contentsOf: group)
            } else {
                let nanoseconds = EventLoop.nowNanoseconds &- started
                answered.append(Answered(group: group, result: result, nanoseconds: nanoseconds))
            }
            writeNext()
            deliverAnswers()
        }
    }

    /// Whether the database rejected a group of several, so that each item must be retried alone to find the faulty one.
    private static func mustRetrySeparately(_ group: [Waiting], _ result: Result<[PostgresRows], any Error>) -> Bool {
        guard group.count > 1, case .failure(let error) = result, case .server? = error as? PostgresError else {
            return false
        }
        return (error as? PostgresError)?.isStorageFull == false
    }

    private func nextGroup() -> [Waiting]? {
        if let one = alone.popFirst() { return [one] }
        var group: [Waiting] = []
        var repeated: [Waiting] = []
        var keys: Set<String> = []
        var bytes = 0
        while let next = waiting.first, group.count < limits.groupItemsMax, bytes < limits.groupBytesMax {
            waiting.removeFirst()
            let itsKeys = key(next.item)
            guard keys.isDisjoint(with: itsKeys) else {
                repeated.append(next)
                continue
            }
            keys.formUnion(itsKeys)
            bytes += next.bytes
            group.append(next)
        }
        waiting.prepend(contentsOf: repeated)
        waitingBytes -= bytes
        return group.isEmpty ? nil : group
    }

    private func deliverAnswers() {
        guard !isDelivering, !answered.isEmpty else { return }
        isDelivering = true
        Task(executorPreference: loop) { [self] in
            while let next = answered.popFirst() {
                await deliver(next)
                writeNext()
            }
            isDelivering = false
            writeNext()
        }
    }

    private func deliver(_ next: Answered) async {
        let items = next.group.map(\.item)
        do {
            let committed = try await read(items, next.result.get(), next.nanoseconds)
            for (one, answer) in zip(next.group, committed.answers) { one.completion(answer) }
            await committed.behind?()
        } catch {
            for one in next.group { one.completion(.failure(error)) }
            await failed(items, error)
        }
    }
}

extension Optional where Wrapped: Actor {
    /// The actor that owns the groups, unless it was released.
    /// - Throws: ``Postgres/PostgresError`` when the server has stopped.
    var required: Wrapped {
        get throws {
            guard let self else { throw PostgresError.unavailable(reason: "the server has stopped") }
            return self
        }
    }
}
