import CEpoll
import DequeModule
import Dispatch
import Glibc
import Logging
import Metrics
import Synchronization

/// Event loop for many sockets: a serial Dispatch queue, driven by one Dispatch source on a private epoll descriptor.
///
/// An epoll descriptor can itself be polled, so one source per loop watches thousands of sockets. After a wake-up the loop runs
/// iterations. Each iteration handles the ready descriptors, and sends a connection's own replies at the end of its handler. It then
/// runs the inbox, the due timers, deferred work (``executeDeferred(_:)``, after a flush of its own) and TLS handshake steps, and flushes
/// each connection that was written to. All messages that the jobs of an iteration publish to a subscriber leave in one `send`
/// (measured: twenty times the deliveries of a source per socket).
///
/// While there is traffic, the handler does not return to Dispatch after each iteration. It waits in `epoll_wait` itself, for at
/// most ``lingerMilliseconds`` without events. Dispatch's path from readiness to handler crosses two threads, which costs as much
/// as an echo's two system calls (measured: 10.7 µs of CPU an echo that way, the plain epoll floor 5.1 µs). An idle loop holds no
/// thread.
///
/// A loop is also a Swift executor: actors and tasks that name it run on its queue, so a request is handled without a thread hop.
/// Loops never wait for each other: ``execute(_:)`` appends to the inbox, and wake-ups are coalesced.
///
/// `@unchecked Sendable`: `inbox` is a mutex and `iterationThread` an atomic. Every other mutable property is used on `queue` only,
/// which ``preconditionIsolated()`` checks at each entry.
public final class EventLoop: @unchecked Sendable {
    /// How long a loop waits without events before it releases its thread.
    static let lingerMilliseconds: Int32 = 50
    /// Events taken from epoll at a time.
    static let eventsPerRoundMax = 256
    /// Jobs taken from the inbox in one iteration, before sockets are served again.
    static let inboxJobsPerIterationMax = 4_096
    /// Duration of an iteration after which it leaves deferred work to the next one.
    static let iterationNanosecondsMax: UInt64 = 1_000_000
    /// Cache lines of 64 bytes to prefetch for each object that an event needs.
    static let prefetchedLines = 4
    /// Size of the one read buffer that all connections of the loop share.
    static let readBufferBytes = 65_536

    /// Name for logs and metrics, such as `loop-0`.
    public let label: String
    /// Queue that all code of this loop runs on.
    public let queue: DispatchQueue
    /// Metrics of this loop and its connections.
    public let metrics: LoopMetrics
    let logger: Logger
    let tlsLogger = Logger(label: "campanile.tls")

    enum InboxEntry {
        case body(@Sendable () -> Void)
        case job(UnownedJob)
    }
    /// How the loop learns of a new entry in the inbox.
    enum WakeState {
        /// The loop is not running: the producer must submit it to the queue.
        case away
        /// The loop is submitted to the queue and has not started yet.
        case called
        /// The loop runs, and checks the inbox before it waits.
        case running
        /// The loop waits in `epoll_wait`: the producer must write to the wake-up descriptor.
        case waiting
    }
    struct Inbox {
        var entries = Deque<InboxEntry>()
        var attention = WakeState.away
    }
    let inbox = Mutex(Inbox())

    private let epollDescriptor: Int32
    /// An eventfd that ends a wait.
    let wakeDescriptor: Int32
    private static let wakeData = UInt64.max
    private var isStopped = false
    private(set) var iterationStart: UInt64 = 0
    var later = Deque<() -> Void>()
    private let source: any DispatchSourceRead
    /// Indexed by descriptor, since descriptors are small numbers.
    private var watched: [Watched] = []
    /// Handlers that were unregistered. They stay alive until the iteration ends, because one of them may be running.
    private var unwatched: [DescriptorHandler] = []
    private var generation: UInt32 = 0
    private let events: UnsafeMutableBufferPointer<epoll_event>
    /// Connections that were written to in this iteration. Not retained: they are in `watched`, or in `unwatched` until they are
    /// flushed.
    @exclusivity(unchecked) private var dirty: [Unmanaged<SocketConnection>] = []
    private var flushing: [Unmanaged<SocketConnection>] = []
    /// Bytes that the connections received and sent in this iteration; added to the counters at its end.
    @exclusivity(unchecked) var receivedBytes = 0
    @exclusivity(unchecked) var sentBytes = 0
    /// Identifier of the thread that runs the current iteration; 0 between iterations.
    private let iterationThread = Atomic<UInt>(0)
    /// Connections whose writes the kernel does not accept now.
    var blockedWriters: [SocketConnection] = []
    var sweepRings: [Duration: TimerWheel] = [:]
    /// See ``SocketConnection/stallMax``; tests shorten it.
    var stallNanosecondsMax = SocketConnection.stallMax.nanoseconds
    /// See ``SocketConnection/lingerMax``; tests shorten it.
    var lingerMax = SocketConnection.lingerMax
    let readBuffer: UnsafeMutableRawBufferPointer
    /// Buffer of ``SocketConnection/gatheredBytesMax`` in which small arrays are joined, to leave in one call.
    let writeBuffer: UnsafeMutableRawBufferPointer
    let timers: TimerQueue
    let handshakes = TLSHandshakeQueue()
    /// Incomplete input of this loop's connections. On the loop.
    public let unfinishedInput = IncompleteInputLimiter()

    /// Starts a loop. It runs until the process ends or ``stop()`` is called.
    /// - Throws: ``SystemError`` when the kernel has no descriptor left.
    public init(
        label: String, metrics: LoopMetrics = LoopMetrics(), logger: Logger = Logger(label: "campanile.loop")
    ) throws {
        self.label = label
        self.metrics = metrics
        self.logger = logger
        queue = DispatchQueue(label: "campanile.\(label)", qos: .userInitiated)
        epollDescriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epollDescriptor >= 0 else { throw SystemError(call: "epoll_create1", code: errno) }
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else {
            let error = SystemError(call: "eventfd", code: errno)
            close(epollDescriptor)
            throw error
        }
        var wake = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.wakeData))
        epoll_ctl(epollDescriptor, EPOLL_CTL_ADD, wakeDescriptor, &wake)
        events = .allocate(capacity: Self.eventsPerRoundMax)
        events.initialize(repeating: epoll_event())
        readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 16)
        writeBuffer = .allocate(byteCount: SocketConnection.gatheredBytesMax, alignment: 16)
        source = DispatchSource.makeReadSource(fileDescriptor: epollDescriptor, queue: queue)
        timers = TimerQueue(queue: queue)
        // Weak: an event may already be on the queue when the last reference is released.
        source.setEventHandler { [weak self] in self?.run() }
        timers.source.setEventHandler { [weak self] in self?.run() }
        let descriptors = [epollDescriptor, wakeDescriptor]
        source.setCancelHandler { for descriptor in descriptors { close(descriptor) } }
        source.activate()
        timers.source.activate()
    }

    deinit {
        for entry in watched { entry.handler?.release() }
        source.cancel()
        timers.source.cancel()
        readBuffer.deallocate()
        writeBuffer.deallocate()
        events.deallocate()
    }

    /// Stops the loop and drops the connections that are still registered. On the loop.
    public func stop() {
        preconditionIsolated()
        isStopped = true
        for entry in watched { if let handler = entry.handler { unwatched.append(handler.takeRetainedValue()) } }
        watched.removeAll()
        blockedWriters.removeAll()
        source.cancel()
        timers.source.cancel()
    }

    /// Traps unless the caller runs within an iteration of this loop. Costs one relaxed load, because it is on the path of every
    /// byte.
    @inline(__always)
    public func preconditionIsolated() {
        precondition(
            iterationThread.load(ordering: .relaxed) == Self.currentThread,
            "this must be called on the event loop it uses")
    }

    /// Whether the caller runs within an iteration of this loop.
    public var isCurrent: Bool { iterationThread.load(ordering: .relaxed) == Self.currentThread }

    private static var currentThread: UInt { campanile_thread() }

    /// The monotonic clock in nanoseconds; setting the wall clock does not affect it.
    public static var nowNanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }

    // MARK: Descriptors

    private struct Watched {
        /// Retained.
        var handler: Unmanaged<DescriptorHandler>?
        /// Another object that an event needs; used for prefetching only.
        var ownerAddress: UnsafeRawPointer?
        var generation: UInt32 = 0
        var mask: UInt32 = 0

        var handlerAddress: UnsafeRawPointer? { handler.map { UnsafeRawPointer($0.toOpaque()) } }
    }

    /// Watches `descriptor` until ``unregister(_:)``. On the loop. O(1).
    func register(_ descriptor: Int32, events mask: UInt32, handler: DescriptorHandler) throws -> Registration {
        preconditionIsolated()
        generation &+= 1
        let registration = Registration(descriptor: descriptor, generation: generation)
        var event = epoll_event(events: mask, data: registration.epollData)
        guard epoll_ctl(epollDescriptor, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
            throw SystemError(call: "epoll_ctl", code: errno)
        }
        let index = Int(descriptor)
        while watched.count <= index { watched.append(Watched()) }
        watched[index] = Watched(handler: .passRetained(handler), generation: generation, mask: mask)
        return registration
    }

    /// Sets an object, besides the handler, whose memory is prefetched before an event of this registration. The loop never
    /// dereferences it.
    func setOwner(_ owner: AnyObject, of registration: Registration) {
        let index = Int(registration.descriptor)
        guard index < watched.count, watched[index].generation == registration.generation else { return }
        watched[index].ownerAddress = UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
    }

    /// Changes the events to watch for. On the loop. Makes no system call if nothing changes.
    func setEvents(_ mask: UInt32, of registration: Registration) {
        preconditionIsolated()
        let index = Int(registration.descriptor)
        guard index < watched.count, watched[index].generation == registration.generation, watched[index].mask != mask
        else { return }
        var event = epoll_event(events: mask, data: registration.epollData)
        if epoll_ctl(epollDescriptor, EPOLL_CTL_MOD, registration.descriptor, &event) == 0 {
            watched[index].mask = mask
        }
    }

    /// Stops watching. Call it before the descriptor is closed. On the loop. O(1).
    func unregister(_ registration: Registration) {
        preconditionIsolated()
        let index = Int(registration.descriptor)
        guard index < watched.count, watched[index].generation == registration.generation else { return }
        if let handler = watched[index].handler { unwatched.append(handler.takeRetainedValue()) }
        watched[index] = Watched()
        var event = epoll_event()
        epoll_ctl(epollDescriptor, EPOLL_CTL_DEL, registration.descriptor, &event)
    }

    private func handle(eventCount: Int) {
        for index in 0..<eventCount {
            prefetch(after: index, of: eventCount)
            let event = events[index]
            guard event.data.u64 != Self.wakeData else {
                var count: UInt64 = 0
                _ = read(wakeDescriptor, &count, MemoryLayout<UInt64>.size)
                continue
            }
            let generation = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
            // An earlier handler of this round may have closed the descriptor, and the kernel may have reused its number for
            // another socket. The generation reveals this.
            guard let descriptor = watchedIndex(of: event), watched[descriptor].generation == generation,
                let handler = watched[descriptor].handler
            else { continue }
            // Not retained for the call: the handler is in `watched`, or in `unwatched` until the iteration ends.
            handler._withUnsafeGuaranteedRef { $0.handle(events: event.events) }
        }
    }

    /// Prefetches the memory that the next events need while this one is served. Between two events of a connection the loop serves
    /// thousands of others, so the connection's memory is not in the caches any more.
    @inline(__always)
    private func prefetch(after index: Int, of eventCount: Int) {
        if index + 2 < eventCount, let next = watchedIndex(of: events[index + 2]) {
            watched.withUnsafeBufferPointer { campanile_prefetch($0.baseAddress.map { $0 + next }, 1) }
        }
        if index + 1 < eventCount, let next = watchedIndex(of: events[index + 1]) {
            campanile_prefetch(watched[next].handlerAddress, Self.prefetchedLines)
            campanile_prefetch(watched[next].ownerAddress, Self.prefetchedLines)
        }
    }

    /// Prefetches the memory of an object that will be called soon. For callers that call many objects in sequence.
    @inline(__always)
    public static func prefetch(_ object: AnyObject) {
        prefetch(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    }

    /// Prefetches the memory at an object's address, which need not be valid any more.
    @inline(__always)
    public static func prefetch(_ address: UnsafeRawPointer) {
        campanile_prefetch(address, prefetchedLines)
    }

    @inline(__always)
    private func watchedIndex(of event: epoll_event) -> Int? {
        let descriptor = Int(event.data.u64 & 0xffff_ffff)
        return descriptor < watched.count ? descriptor : nil
    }

    // MARK: Iterations

    /// Runs iterations until there is no work for ``lingerMilliseconds``. On the queue, as the handler of its sources.
    func run() {
        guard !isStopped else { return }
        timers.isLoopRunning = true
        inbox.withLock { $0.attention = .running }
        // Ready descriptors are taken first, because they probably caused the wake-up.
        var eventCount = epoll_wait(epollDescriptor, events.baseAddress, Int32(events.count), 0)
        while true {
            let isDone = runIteration(eventCount: Int(max(0, eventCount)))
            guard !isStopped else { return }
            let wait = isDone ? waitMilliseconds() : 0
            let mayWait =
                wait > 0
                && inbox.withLock { inbox in
                    guard inbox.entries.isEmpty else { return false }
                    inbox.attention = .waiting
                    return true
                }
            eventCount = epoll_wait(epollDescriptor, events.baseAddress, Int32(events.count), mayWait ? wait : 0)
            guard mayWait else { continue }
            let mayLeave = inbox.withLock { inbox in
                inbox.attention = .running
                guard eventCount == 0, wait == Self.lingerMilliseconds, inbox.entries.isEmpty else { return false }
                inbox.attention = .away
                return true
            }
            if mayLeave { break }
        }
        timers.isLoopRunning = false
    }

    /// Time to wait for events; 0 if a timer is due.
    private func waitMilliseconds() -> Int32 {
        guard let deadline = timers.nextDeadline else { return Self.lingerMilliseconds }
        let now = Self.nowNanoseconds
        guard deadline > now else { return 0 }
        return Int32(min((deadline - now + 999_999) / 1_000_000, UInt64(Self.lingerMilliseconds)))
    }

    /// Runs one iteration.
    /// - Returns: Whether no work is left for now: the inbox is empty, and no deferred work and no handshake waits for the next
    ///   iteration.
    private func runIteration(eventCount: Int) -> Bool {
        iterationThread.store(Self.currentThread, ordering: .relaxed)
        iterationStart = Self.nowNanoseconds
        defer { iterationThread.store(0, ordering: .relaxed) }
        if eventCount > 0 { handle(eventCount: eventCount) }
        let inboxIsEmpty = runInbox()
        timers.fire()
        if !later.isEmpty { runDeferred() }
        handshakes.runQueuedSteps()
        flushDirty()
        countTransfers()
        if !unwatched.isEmpty { unwatched.removeAll() }
        return inboxIsEmpty && later.isEmpty && handshakes.waiting == 0
    }

    private func countTransfers() {
        if receivedBytes > 0 { metrics.receivedBytes.addUnshared(receivedBytes) }
        if sentBytes > 0 { metrics.sentBytes.addUnshared(sentBytes) }
        (receivedBytes, sentBytes) = (0, 0)
    }

    /// Remembers a connection that was written to, to be flushed once at the end of the iteration. On the loop.
    /// - Parameter connection: A connection that is registered with the loop, which keeps it alive until then.
    func markDirty(_ connection: SocketConnection) {
        dirty.append(Unmanaged.passUnretained(connection))
    }

    func flushDirty() {
        while !dirty.isEmpty {
            swap(&dirty, &flushing)
            flushing.withUnsafeBufferPointer { connections in
                for index in connections.indices {
                    if index + 2 < connections.count {
                        campanile_prefetch(connections[index + 2].toOpaque(), Self.prefetchedLines)
                    }
                    if index + 1 < connections.count {
                        connections[index + 1]._withUnsafeGuaranteedRef { $0.prefetchDelegate() }
                    }
                    connections[index]._withUnsafeGuaranteedRef { $0.flush() }
                }
            }
            flushing.removeAll(keepingCapacity: true)
        }
    }
}
