import DequeModule
import EventLoop

/// Group commit: collects the items that arrive within a window, or during the previous commit, and commits them in one transaction,
/// because a disk completes only a limited number of commits per second.
///
/// The database works on one group at a time, and answers are delivered in commit order. The next group is collected meanwhile, so
/// neither the server nor the database waits for the other. When PostgreSQL rejects a group, each of its items is committed alone, so that
/// only the faulty one fails. If no item is at fault, because the disk is full or an outage needs an operator, the group fails as a whole.
/// When the connection is lost, the outcome of the group in flight is in doubt: its items fail, and senders send them again, so an item
/// must be idempotent.
///
/// `@unchecked Sendable`: confined to its loop. Inlinable, so that each service has a version for its own items: without that, looking up
/// their types took a sixth of the processor that a chat message costs the server.
public final class GroupCommit<Item: Sendable, Answer: Sendable>: @unchecked Sendable {
    /// Largest number of answered groups that may await delivery of their answers before the next group is written.
    @inlinable static var undeliveredGroupsMax: Int { 1 }

    /// Limits of group size and queue length. A size is in any unit that the owner chooses, such as bytes.
    public struct Limits: Sendable {
        /// Time for which the first item of a group waits for further items.
        public var window: Duration
        /// Whether each group waits for the window, and not only the first after a quiet time. This limits the number of commits.
        public var isPaced: Bool
        /// Number of items at which a group is full and does not wait any longer.
        public var groupItemsMax: Int
        /// Size at which a group is full; a group has at least one item.
        public var groupSizeMax: Int
        /// Largest number of items waiting for a group.
        public var waitingItemsMax: Int
        /// Largest total size of the waiting items.
        public var waitingSizeMax: Int

        /// Limits for items of some kilobytes, with sizes in bytes.
        public init(
            window: Duration = .milliseconds(2), isPaced: Bool = false, groupItemsMax: Int = 256,
            groupSizeMax: Int = 1_048_576, waitingItemsMax: Int = 4_096, waitingSizeMax: Int = 16 * 1_048_576
        ) {
            self.window = window
            self.isPaced = isPaced
            self.groupItemsMax = groupItemsMax
            self.groupSizeMax = groupSizeMax
            self.waitingItemsMax = waitingItemsMax
            self.waitingSizeMax = waitingSizeMax
        }
    }

    /// Receives an item's answer, on the loop.
    public typealias Completion = @Sendable (Result<Answer, any Error>) -> Void

    /// Sends a group to the database; see ``TransactionWriter/write(_:arrival:completion:)``.
    public typealias Write =
        @Sendable (
            _ items: [Item], _ arrival: UInt64,
            _ completion: @escaping @Sendable (Result<[PostgresRows], any Error>) -> Void
        ) -> Void

    /// Converts the database's rows into answers; the number is the commit's duration in nanoseconds.
    public typealias Read = @Sendable ([Item], [PostgresRows], UInt64) async throws -> Committed

    /// Outcome of a committed group.
    public struct Committed: Sendable {
        /// One answer per item, in the items' order.
        public var answers: [Result<Answer, any Error>]
        /// Publishes the changes to subscribers after the senders have their answers.
        public var behind: (@Sendable () async -> Void)?

        @inlinable public init(answers: [Result<Answer, any Error>], behind: (@Sendable () async -> Void)? = nil) {
            self.answers = answers
            self.behind = behind
        }
    }

    @usableFromInline struct Waiting: Sendable {
        @usableFromInline let item: Item
        @usableFromInline let size: Int
        /// Monotonic nanoseconds.
        @usableFromInline let arrival: UInt64
        @usableFromInline let completion: Completion

        @inlinable init(item: Item, size: Int, arrival: UInt64, completion: @escaping Completion) {
            (self.item, self.size, self.arrival, self.completion) = (item, size, arrival, completion)
        }
    }

    /// A group whose database answer has arrived.
    @usableFromInline struct Answered: Sendable {
        @usableFromInline let group: [Waiting]
        @usableFromInline let result: Result<[PostgresRows], any Error>
        @usableFromInline let nanoseconds: UInt64

        @inlinable init(group: [Waiting], result: Result<[PostgresRows], any Error>, nanoseconds: UInt64) {
            (self.group, self.result, self.nanoseconds) = (group, result, nanoseconds)
        }
    }

    @usableFromInline let loop: EventLoop
    @usableFromInline let limits: Limits
    @usableFromInline let refuse: @Sendable () -> any Error
    @usableFromInline let write: Write
    @usableFromInline let read: Read
    @usableFromInline let failed: @Sendable ([Item], any Error) async -> Void
    @usableFromInline let key: @Sendable (Item) -> [String]
    @usableFromInline var waiting = Deque<Waiting>()
    @usableFromInline var waitingSize = 0
    /// Items of a group that PostgreSQL rejected; each is retried as a group of its own.
    @usableFromInline var alone = Deque<Waiting>()
    @usableFromInline var isWindowOpen = false
    @usableFromInline var isWriting = false
    @usableFromInline var answered = Deque<Answered>()
    @usableFromInline var isDelivering = false
    @usableFromInline var closing: [CheckedContinuation<Void, Never>]?

    /// - Parameters:
    ///   - refuse: Counts an item that is rejected because the queue is full, and makes its error. Called on the loop.
    ///   - key: Conflict keys of an item. Items with a common key never share a group, so that the later one sees the earlier one's
    ///     effect.
    ///   - write: Called on the loop.
    ///   - read: Called on the loop.
    ///   - failed: Receives groups that failed, on the loop. Their outcome is in doubt unless PostgreSQL reported that it did not commit
    ///     them.
    @inlinable public init(
        loop: EventLoop, limits: Limits = Limits(), refuse: @escaping @Sendable () -> any Error,
        key: @escaping @Sendable (Item) -> [String] = { _ in [] }, write: @escaping Write, read: @escaping Read,
        failed: @escaping @Sendable ([Item], any Error) async -> Void = { _, _ in }
    ) {
        self.loop = loop
        self.limits = limits
        self.refuse = refuse
        self.key = key
        self.write = write
        self.read = read
        self.failed = failed
    }

    /// Commits an item and returns its answer. Call it on the loop, from the isolation of the owner.
    /// - Throws: The error of `refuse` when the queue is full; errors of the commit.
    @inlinable public func submit(
        _ item: Item, size: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            submit(item, size: size) { continuation.resume(with: $0) }
        }
    }

    /// Commits an item and passes its answer to `completion`, for callers without a task. Call it on the loop.
    @inlinable public func submit(_ item: Item, size: Int, completion: @escaping Completion) {
        loop.preconditionIsolated()
        guard closing == nil else {
            return completion(.failure(PostgresError.unavailable(reason: "the writer is closed")))
        }
        guard waiting.count < limits.waitingItemsMax, waitingSize <= limits.waitingSizeMax - size else {
            return completion(.failure(refuse()))
        }
        waiting.append(Waiting(item: item, size: size, arrival: EventLoop.nowNanoseconds, completion: completion))
        waitingSize += size
        guard !isWriting else { return }
        if waiting.count >= limits.groupItemsMax { return writeNext() }
        openWindow()
    }

    /// Rejects further items, and returns when the waiting ones are answered. Callable from any thread.
    @inlinable public func close() async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                closing = (closing ?? []) + [continuation]
                writeNext()
                finishClosing()
            }
        }
    }

    @inlinable func finishClosing() {
        guard let done = closing, !isWriting, waiting.isEmpty, alone.isEmpty, answered.isEmpty, !isDelivering else {
            return
        }
        closing = []
        for continuation in done { continuation.resume() }
    }

    @inlinable func openWindow() {
        guard !isWindowOpen else { return }
        isWindowOpen = true
        loop.schedule(after: limits.window) { [self] in
            isWindowOpen = false
            writeNext()
        }
    }

    /// After a commit: writes what has arrived meanwhile, or lets it wait for the window.
    @inlinable func goOn() {
        let isDue = !limits.isPaced || closing != nil || !alone.isEmpty || waiting.count >= limits.groupItemsMax
        if isDue { writeNext() } else if !isWriting, !waiting.isEmpty { openWindow() }
    }

    @inlinable func writeNext() {
        guard !isWriting, answered.count + (isDelivering ? 1 : 0) <= Self.undeliveredGroupsMax, let group = nextGroup()
        else {
            return
        }
        isWriting = true
        let started = EventLoop.nowNanoseconds
        write(group.map(\.item), group.map(\.arrival).min() ?? started) { [self] result in
            isWriting = false
            if Self.mustRetrySeparately(group, result) {
                alone.append(contentsOf: group)
            } else {
                let nanoseconds = EventLoop.nowNanoseconds &- started
                answered.append(Answered(group: group, result: result, nanoseconds: nanoseconds))
            }
            goOn()
            deliverAnswers()
        }
    }

    /// Whether the database rejected a group of several, so that each item must be retried alone to find the faulty one. In an outage no
    /// item is at fault.
    @inlinable static func mustRetrySeparately(_ group: [Waiting], _ result: Result<[PostgresRows], any Error>) -> Bool
    {
        guard group.count > 1, case .failure(let error) = result, let error = error as? PostgresError,
            case .server = error
        else { return false }
        return error.outage?.needsOperator != true && !error.isStorageFull
    }

    @inlinable func nextGroup() -> [Waiting]? {
        if let one = alone.popFirst() { return [one] }
        var group: [Waiting] = []
        var repeated: [Waiting] = []
        var keys: Set<String> = []
        var size = 0
        while let next = waiting.first, group.count < limits.groupItemsMax, size < limits.groupSizeMax {
            waiting.removeFirst()
            let itsKeys = key(next.item)
            guard keys.isDisjoint(with: itsKeys) else {
                repeated.append(next)
                continue
            }
            keys.formUnion(itsKeys)
            size += next.size
            group.append(next)
        }
        waiting.prepend(contentsOf: repeated)
        waitingSize -= size
        return group.isEmpty ? nil : group
    }

    @inlinable func deliverAnswers() {
        guard !isDelivering, !answered.isEmpty else { return }
        isDelivering = true
        Task(executorPreference: loop) { [self] in
            while let next = answered.popFirst() {
                await deliver(next)
                goOn()
            }
            isDelivering = false
            goOn()
            finishClosing()
        }
    }

    @inlinable func deliver(_ next: Answered) async {
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
    /// - Throws: ``PostgresError`` when the server has stopped.
    package var required: Wrapped {
        get throws {
            guard let self else { throw PostgresError.unavailable(reason: "the server has stopped") }
            return self
        }
    }
}
