import CEpoll
import DequeModule
import Dispatch
import Glibc
import Logging
import Synchronization

/// One thread of control for many sockets: a serial Dispatch queue, fed by one Dispatch source on a private epoll
/// descriptor.
///
/// An epoll descriptor is itself pollable, so one source per loop watches thousands of sockets; its handler drains
/// `epoll_wait(…, 0)` until nothing is ready and then flushes each connection that was written to exactly once. All that a
/// turn published to a subscriber leaves in one `send` (measured: twenty times the deliveries of a source per socket).
///
/// A loop is also a Swift executor: actors and tasks that name it run on its queue, so a request is answered without a
/// thread hop. Loops never wait for each other: ``execute(_:)`` is one message into the inbox, wake-ups coalesced.
///
/// `@unchecked Sendable`: `inbox` is a mutex; every other mutable property is touched on `queue` only, which
/// ``preconditionIsolated()`` checks at each entry.
public final class EventLoop: @unchecked Sendable {
    /// How often one wake-up asks epoll again before it lets the inbox run; level-triggered readiness is not lost.
    static let drainRoundsMax = 64
    /// Events taken from epoll at a time.
    static let eventsPerRoundMax = 256
    /// Jobs taken from the inbox at a time, before sockets get their turn.
    static let inboxJobsPerTurnMax = 4_096
    /// Size of the one read buffer that all connections of the loop share.
    static let readBufferBytes = 65_536

    /// The name, for logs and metrics, such as `loop-0`.
    public let label: String
    /// The queue that everything of this loop runs on.
    public let queue: DispatchQueue
    let logger: Logger

    enum InboxEntry {
        case body(@Sendable () -> Void)
        case job(UnownedJob)
    }
    struct Inbox {
        var entries = Deque<InboxEntry>()
        var isScheduled = false
    }
    let inbox = Mutex(Inbox())

    private let epollDescriptor: Int32
    private let source: any DispatchSourceRead
    private var handlers: [Int32: Registration] = [:]
    private var generation: UInt32 = 0
    private var events: [epoll_event]
    private var dirty: [any Flushable] = []
    let readBuffer: UnsafeMutableRawBufferPointer
    let timers: TimerQueue
    let handshakes = TLSHandshakeGate()

    /// Starts a loop. It runs until the process ends or ``stop()`` is called.
    /// - Throws: ``SystemError`` when the kernel has no descriptor left.
    public init(label: String, logger: Logger = Logger(label: "campanile.loop")) throws {
        self.label = label
        self.logger = logger
        queue = DispatchQueue(label: "campanile.\(label)", qos: .userInitiated)
        epollDescriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epollDescriptor >= 0 else { throw SystemError(call: "epoll_create1", code: errno) }
        events = Array(repeating: epoll_event(), count: Self.eventsPerRoundMax)
        readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 16)
        source = DispatchSource.makeReadSource(fileDescriptor: epollDescriptor, queue: queue)
        timers = TimerQueue(queue: queue)
        // Weak: an event may already be on the queue when the last reference goes.
        source.setEventHandler { [weak self] in self?.drain() }
        timers.source.setEventHandler { [weak self] in
            guard let self else { return }
            timers.fire()
            flushDirty()
        }
        let descriptor = epollDescriptor
        source.setCancelHandler { close(descriptor) }
        source.activate()
        timers.source.activate()
    }

    deinit {
        source.cancel()
        timers.source.cancel()
        readBuffer.deallocate()
    }

    /// Stops watching; connections still registered are dropped. On the loop.
    public func stop() {
        preconditionIsolated()
        handlers.removeAll()
        source.cancel()
        timers.source.cancel()
    }

    /// Traps unless the caller runs on this loop's queue.
    @inline(__always)
    public func preconditionIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// The monotonic clock in nanoseconds; it does not jump when the wall clock is set.
    public static var nowNanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }

    // MARK: Descriptors

    /// Watches `descriptor` until ``unregister(_:)``. On the loop. O(1).
    func register(_ descriptor: Int32, events mask: UInt32, handler: any DescriptorHandler) throws -> Registration {
        preconditionIsolated()
        generation &+= 1
        let registration = Registration(descriptor: descriptor, generation: generation, handler: handler)
        var event = epoll_event(events: mask, data: registration.epollData)
        guard epoll_ctl(epollDescriptor, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
            throw SystemError(call: "epoll_ctl", code: errno)
        }
        registration.mask = mask
        handlers[descriptor] = registration
        return registration
    }

    /// Changes what is watched for. On the loop. No system call when nothing changes.
    func setEvents(_ mask: UInt32, of registration: Registration) {
        preconditionIsolated()
        guard registration.mask != mask, handlers[registration.descriptor] === registration else { return }
        var event = epoll_event(events: mask, data: registration.epollData)
        if epoll_ctl(epollDescriptor, EPOLL_CTL_MOD, registration.descriptor, &event) == 0 {
            registration.mask = mask
        }
    }

    /// Stops watching; call it before the descriptor is closed. On the loop. O(1).
    func unregister(_ registration: Registration) {
        preconditionIsolated()
        guard handlers[registration.descriptor] === registration else { return }
        handlers[registration.descriptor] = nil
        var event = epoll_event()
        epoll_ctl(epollDescriptor, EPOLL_CTL_DEL, registration.descriptor, &event)
    }

    private func drain() {
        for _ in 0..<Self.drainRoundsMax {
            let count = epoll_wait(epollDescriptor, &events, Int32(events.count), 0)
            guard count > 0 else { break }
            for index in 0..<Int(count) {
                let event = events[index]
                let descriptor = Int32(truncatingIfNeeded: event.data.u64 & 0xffff_ffff)
                let generation = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
                // A handler earlier in this round may have closed the descriptor, and the kernel may have given its
                // number to another socket: the generation tells.
                guard let registration = handlers[descriptor], registration.generation == generation else { continue }
                registration.handler.handle(events: event.events)
            }
            flushDirty()
        }
        flushDirty()
    }

    // MARK: Turns

    /// Remembers a connection that was written to; it is flushed once, at the end of the turn. On the loop.
    func markDirty(_ flushable: any Flushable) {
        dirty.append(flushable)
    }

    private func flushDirty() {
        while !dirty.isEmpty {
            let batch = dirty
            dirty.removeAll(keepingCapacity: true)
            for flushable in batch { flushable.flush() }
        }
    }

    /// Runs `body` on the loop, after what is in the inbox already. From any thread; never blocks.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        enqueue(.body(body))
    }

    func enqueue(_ entry: InboxEntry) {
        let mustSchedule = inbox.withLock { inbox in
            inbox.entries.append(entry)
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if mustSchedule { queue.async { self.drainInbox() } }
    }

    private func drainInbox() {
        for _ in 0..<Self.inboxJobsPerTurnMax {
            let entry = inbox.withLock { inbox in
                let entry = inbox.entries.popFirst()
                if entry == nil { inbox.isScheduled = false }
                return entry
            }
            switch entry {
            case nil:
                flushDirty()
                return
            case .body(let body): body()
            case .job(let job):
                job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
        flushDirty()
        queue.async { self.drainInbox() }
    }
}

/// What a loop calls when a descriptor is ready. On the loop.
protocol DescriptorHandler: AnyObject {
    func handle(events: UInt32)
}

/// Something that collects writes during a turn and sends them once at its end. On the loop.
protocol Flushable: AnyObject {
    func flush()
}

/// One watched descriptor. Only its loop touches it.
final class Registration {
    let descriptor: Int32
    let generation: UInt32
    let handler: any DescriptorHandler
    var mask: UInt32 = 0

    init(descriptor: Int32, generation: UInt32, handler: any DescriptorHandler) {
        self.descriptor = descriptor
        self.generation = generation
        self.handler = handler
    }

    var epollData: epoll_data_t {
        epoll_data_t(u64: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)))
    }
}

/// A system call that failed.
public struct SystemError: Error, CustomStringConvertible, Sendable {
    /// The call, such as `bind`.
    public let call: String
    /// The `errno` it left.
    public let code: Int32

    /// - Parameters:
    ///   - call: The call that failed.
    ///   - code: Its `errno`.
    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// One plain fact, such as `bind: Address already in use`.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
