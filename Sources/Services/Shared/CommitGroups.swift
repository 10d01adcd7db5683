import DequeModule
import EventLoop
import Metrics
import Postgres
import Wire

/// Items that are committed in groups: what arrives within the window, or while a group is being committed, is the next one.
///
/// One group is at the database at a time, and what came of it is told in the order of the commits; meanwhile the next one is there
/// already, so that neither server nor database waits for the other.
///
/// `@unchecked Sendable`: confined to its loop.
final class CommitGroups<Item: Sendable, Answer: Sendable>: @unchecked Sendable {
    /// Seconds that a sender waits before it sends again when too many wait.
    static var overloadRetrySeconds: Double { 1 }
    /// Groups that may be committed and not told of yet, before the next one is sent.
    static var untoldGroupsMax: Int { 1 }

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

    /// Told the answer, on the loop.
    typealias Completion = @Sendable (Result<Answer, any Error>) -> Void

    /// Sends a group to the database.
    typealias Write = @Sendable ([Item], @escaping @Sendable (Result<[PostgresRows], any Error>) -> Void) -> Void

    /// Reads what the database answered, and how many nanoseconds it took.
    typealias Read = @Sendable ([Item], [PostgresRows], UInt64) async throws -> Committed

    /// What came of a group.
    struct Committed: Sendable {
        /// Of each item, in their order.
        var answers: [Result<Answer, any Error>]
        /// Tells others, once those who sent are answered.
        var behind: (@Sendable () async -> Void)?
    }

    private struct Waiting {
        let item: Item
        let bytes: Int
        let completion: Completion
    }

    /// A group that the database answered.
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
    /// Told of groups that failed; whether they were committed is known only when PostgreSQL says that they were not.
    private let failed: @Sendable ([Item], any Error) async -> Void
    private let key: @Sendable (Item) -> [String]
    private var waiting = Deque<Waiting>()
    private var waitingBytes = 0
    /// Items of a group with one at fault, each a group now.
    private var alone = Deque<Waiting>()
    private var isWindowOpen = false
    private var isWriting = false
    private var answered = Deque<Answered>()
    private var isTelling = false

    /// - Parameters:
    ///   - refused: Counts items that found the queue full.
    ///   - key: Items that have one in common do not share a group: the later one is to find what the earlier one did.
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

    /// Returns once the item's group is committed. On the loop, as its owner is isolated to.
    /// - Throws: ``Wire/RPCError`` `unavailable` when too many wait, and what the commit throws.
    func submit(
        _ item: Item, bytes: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            submit(item, bytes: bytes) { continuation.resume(with: $0) }
        }
    }

    /// The same for who does not wait in a task. On the loop.
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
        guard !isWriting, answered.count + (isTelling ? 1 : 0) <= Self.untoldGroupsMax, let group = nextGroup() else {
            return
        }
        isWriting = true
        let started = EventLoop.nowNanoseconds
        write(group.map(\.item)) { [self] result in
            isWriting = false
            if Self.isOneAtFault(group, result) {
                alone.append(contentsOf: group)
            } else {
                let nanoseconds = EventLoop.nowNanoseconds &- started
                answered.append(Answered(group: group, result: result, nanoseconds: nanoseconds))
            }
            writeNext()
            tellAnswered()
        }
    }

    /// One of a group was refused by the database, and only that one is to hear of it.
    private static func isOneAtFault(_ group: [Waiting], _ result: Result<[PostgresRows], any Error>) -> Bool {
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

    private func tellAnswered() {
        guard !isTelling, !answered.isEmpty else { return }
        isTelling = true
        Task(executorPreference: loop) { [self] in
            while let next = answered.popFirst() {
                await tell(next)
                writeNext()
            }
            isTelling = false
            writeNext()
        }
    }

    private func tell(_ next: Answered) async {
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
    /// The owner of groups.
    /// - Throws: ``Postgres/PostgresError`` when the server has stopped.
    var required: Wrapped {
        get throws {
            guard let self else { throw PostgresError.unavailable(reason: "the server has stopped") }
            return self
        }
    }
}
