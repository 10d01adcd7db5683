import Dispatch
import HeapModule

/// Timer on a loop. Cancel it on that loop.
public final class LoopTimer {
    fileprivate var body: (() -> Void)?
    fileprivate weak var queue: TimerQueue?

    fileprivate init(queue: TimerQueue, body: @escaping () -> Void) {
        self.queue = queue
        self.body = body
    }

    /// Cancels the timer: its body does not run any more. On the loop. Amortised O(1): cancelled entries are removed from the heap
    /// together, once they are more than half of it, so that repeatedly setting and cancelling timers does not accumulate memory.
    public func cancel() {
        guard body != nil else { return }
        body = nil
        queue?.cancelledOne()
    }
}

extension EventLoop {
    /// Runs `body` once after `delay` on the monotonic clock, never early. On the loop. O(log n).
    @discardableResult
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        preconditionIsolated()
        let timer = LoopTimer(queue: timers, body: body)
        timers.insert(timer, deadline: Self.nowNanoseconds &+ delay.nanoseconds)
        return timer
    }

    /// Suspends the calling task for `delay`, or until the task is cancelled. A task that sleeps in a loop must check
    /// `Task.isCancelled`. The task resumes on its own executor. From any context.
    public func sleep(for delay: Duration) async {
        let sleeper = Sleeper()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                execute { sleeper.begin(on: self, for: delay, continuation) }
            }
        } onCancel: {
            execute { sleeper.wake() }
        }
    }

    /// Suspends the calling task for `delay`, even if the task is cancelled. From any context.
    public func wait(for delay: Duration) async {
        await withCheckedContinuation { continuation in
            execute { self.schedule(after: delay) { continuation.resume() } }
        }
    }
}

/// State of one sleeping task. `@unchecked Sendable`: confined to the loop it sleeps on.
private final class Sleeper: @unchecked Sendable {
    private var continuation: CheckedContinuation<Void, Never>?
    private var timer: LoopTimer?
    /// True from the wake-up on. A task may be cancelled before its sleep has begun.
    private var isAwake = false

    func begin(on loop: EventLoop, for delay: Duration, _ continuation: CheckedContinuation<Void, Never>) {
        guard !isAwake else { return continuation.resume() }
        self.continuation = continuation
        timer = loop.schedule(after: delay) { self.wake() }
    }

    func wake() {
        isAwake = true
        timer?.cancel()
        timer = nil
        continuation?.resume()
        continuation = nil
    }
}

/// Timers of one loop: a heap, and one Dispatch timer armed for the earliest. On the loop only.
final class TimerQueue {
    private struct Entry: Comparable {
        let deadline: UInt64
        let order: UInt64
        let timer: LoopTimer

        static func < (a: Entry, b: Entry) -> Bool { (a.deadline, a.order) < (b.deadline, b.order) }
        static func == (a: Entry, b: Entry) -> Bool { a.order == b.order }
    }

    /// Cancelled entries that may stay in the heap even if they are the majority.
    static let cancelledMin = 64

    let source: any DispatchSourceTimer
    private var cancelled = 0
    private var heap = Heap<Entry>()
    private var order: UInt64 = 0
    private var armedFor: UInt64 = .max

    init(queue: DispatchQueue) {
        source = DispatchSource.makeTimerSource(queue: queue)
    }

    func insert(_ timer: LoopTimer, deadline: UInt64) {
        order &+= 1
        heap.insert(Entry(deadline: deadline, order: order, timer: timer))
        arm()
    }

    /// Entries in the heap, including cancelled ones.
    var count: Int { heap.count }

    func cancelledOne() {
        cancelled += 1
        guard cancelled > Self.cancelledMin, cancelled > heap.count / 2 else { return }
        heap = Heap(heap.unordered.filter { $0.timer.body != nil })
        cancelled = 0
    }

    /// While the loop runs, it checks the deadlines itself; the Dispatch timer is armed when it stops.
    var isLoopRunning = false {
        didSet { if !isLoopRunning { arm() } }
    }

    var nextDeadline: UInt64? { heap.min?.deadline }

    /// Runs the due timers.
    func fire() {
        guard !heap.isEmpty else { return }
        let now = EventLoop.nowNanoseconds
        // Only timers that are due at the start run: a body that sets a timer with zero delay must not keep the loop here.
        var due: [LoopTimer] = []
        while let first = heap.min, first.deadline <= now {
            heap.removeMin()
            if first.timer.body == nil { cancelled = max(0, cancelled - 1) } else { due.append(first.timer) }
        }
        for timer in due { timer.run() }
    }

    private func arm() {
        // An earlier alarm that remains armed wakes the loop once without work.
        guard !isLoopRunning, let first = heap.min, first.deadline != armedFor else { return }
        armedFor = first.deadline
        source.schedule(deadline: DispatchTime(uptimeNanoseconds: first.deadline), leeway: .milliseconds(1))
    }
}

extension LoopTimer {
    fileprivate func run() {
        guard let body else { return }
        self.body = nil
        body()
    }
}

extension Duration {
    /// Whole nanoseconds; 0 for a negative duration.
    public var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds)) &* 1_000_000_000 &+ UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}
