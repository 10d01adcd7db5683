import DequeModule
import EventLoop
import Synchronization

/// Queue of events for one event loop. Keeps their order, wakes the loop once for all events that arrive meanwhile, and handles a
/// limited number in each loop iteration, so that sockets are served in between.
final class LoopQueue: Sendable {
    enum Item: Sendable {
        case event(BusSubscription, BusEvent)
        case call(@Sendable () -> Void)
    }
    private struct State {
        var items = Deque<(item: Item, bytes: Int)>()
        /// Bytes of the messages that are queued or being handled.
        var bytes = 0
        var messages = 0
        var isScheduled = false
    }

    let loop: EventLoop
    private let state = Mutex(State())

    init(loop: EventLoop) { self.loop = loop }

    /// Queues a message.
    /// - Returns: False if the queue is full.
    func post(_ message: BusMessage, to subscription: BusSubscription) -> Bool {
        // Includes the memory that a message needs besides its payload.
        let bytes = message.bytes.count + MemoryLayout<BusMessage>.size
        let mustWake: Bool? = state.withLock { state in
            guard state.bytes + bytes <= BusLimits.loopQueueBytesMax,
                state.messages < BusLimits.loopQueueMessagesMax
            else { return nil }
            state.bytes += bytes
            state.messages += 1
            state.items.append((.event(subscription, .message(message)), bytes))
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard let mustWake else { return false }
        if mustWake { wake() }
        return true
    }

    /// Queues an item other than a message. Such items are few, so they are not limited.
    func post(_ item: Item) {
        let mustWake = state.withLock { state in
            state.items.append((item, 0))
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustWake { wake() }
    }

    private func wake() {
        loop.execute { self.drain() }
    }

    /// Handles a batch of items. On the loop.
    private func drain() {
        let batch = state.withLock { state in
            let batch = Array(state.items.prefix(BusLimits.eventsPerIterationMax))
            state.items.removeFirst(batch.count)
            return batch
        }
        for (item, _) in batch {
            switch item {
            case .event(let subscription, let event): subscription.handle(event)
            case .call(let body): body()
            }
        }
        let hasMore = state.withLock { state in
            for (_, bytes) in batch where bytes > 0 {
                state.bytes -= bytes
                state.messages -= 1
            }
            state.isScheduled = !state.items.isEmpty
            return state.isScheduled
        }
        if hasMore { loop.executeDeferred { self.drain() } }
    }
}

/// Subscription to a pattern; lasts until it is cancelled.
public final class BusSubscription: Sendable {
    public let pattern: SubjectPattern
    let id: UInt64
    let queue: LoopQueue
    private let handler: @Sendable (BusEvent) -> Void
    private let onCancel: @Sendable (BusSubscription) -> Void
    private let isCancelled = Atomic<Bool>(false)
    /// Messages were dropped, and the event that reports it is queued.
    private let hasOverflowed = Atomic<Bool>(false)

    init(
        id: UInt64, pattern: SubjectPattern, queue: LoopQueue, handler: @escaping @Sendable (BusEvent) -> Void,
        onCancel: @escaping @Sendable (BusSubscription) -> Void
    ) {
        self.id = id
        self.pattern = pattern
        self.queue = queue
        self.handler = handler
        self.onCancel = onCancel
    }

    /// Ends the subscription. From any thread, repeatedly. When called on the subscription's own loop, the handler is not called
    /// afterwards.
    public func cancel() {
        guard !isCancelled.exchange(true, ordering: .relaxed) else { return }
        onCancel(self)
    }

    /// - Returns: False if the message was dropped.
    func deliver(_ message: BusMessage) -> Bool {
        if queue.post(message, to: self) { return true }
        if !hasOverflowed.exchange(true, ordering: .acquiringAndReleasing) {
            queue.post(.event(self, .missed(.slowConsumer)))
        }
        return false
    }

    func deliver(_ event: BusEvent) { queue.post(.event(self, event)) }

    /// Calls the handler. On the loop.
    func handle(_ event: BusEvent) {
        // Before the handler runs, so that a message dropped from now on is reported again.
        if case .missed(.slowConsumer) = event { hasOverflowed.store(false, ordering: .releasing) }
        guard !isCancelled.load(ordering: .relaxed) else { return }
        handler(event)
    }
}

/// Observer of the bus; lasts until it is cancelled.
public final class BusObservation: Sendable {
    let id: UInt64
    private let queue: LoopQueue
    private let handler: @Sendable (BusObserverEvent) -> Void
    private let onCancel: @Sendable (BusObservation) -> Void
    private let isCancelled = Atomic<Bool>(false)

    init(
        id: UInt64, queue: LoopQueue, handler: @escaping @Sendable (BusObserverEvent) -> Void,
        onCancel: @escaping @Sendable (BusObservation) -> Void
    ) {
        self.id = id
        self.queue = queue
        self.handler = handler
        self.onCancel = onCancel
    }

    /// Ends the observation. From any thread, repeatedly. When called on the observer's own loop, the handler is not called
    /// afterwards.
    public func cancel() {
        guard !isCancelled.exchange(true, ordering: .relaxed) else { return }
        onCancel(self)
    }

    func notify(_ notice: BusObserverEvent) {
        queue.post(
            .call {
                guard !self.isCancelled.load(ordering: .relaxed) else { return }
                self.handler(notice)
            })
    }
}
