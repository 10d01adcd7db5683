import Dispatch
import HeapModule

/// A timer that was set on a loop. Cancel it on that loop.
public final class LoopTimer {
    fileprivate var body: (() -> Void)?

    fileprivate init(body: @escaping () -> Void) { self.body = body }

    /// The body will not run any more. On the loop. O(1); the entry leaves the heap when it falls due.
    public func cancel() { body = nil }
}

extension EventLoop {
    /// Runs `body` once, `delay` from now on the monotonic clock, never early. On the loop. O(log n).
    @discardableResult
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        preconditionIsolated()
        let (seconds, attoseconds) = delay.components
        let nanoseconds = UInt64(max(0, seconds)) &* 1_000_000_000 &+ UInt64(max(0, attoseconds) / 1_000_000_000)
        let timer = LoopTimer(body: body)
        timers.insert(timer, deadline: Self.nowNanoseconds &+ nanoseconds)
        return timer
    }

    /// Suspends the calling task for `delay`; the task goes on where it ran. From any context.
    public func sleep(for delay: Duration) async {
        await withCheckedContinuation { continuation in
            execute { self.schedule(after: delay) { continuation.resume() } }
        }
    }
}

/// The timers of one loop: a heap, and one Dispatch timer armed for the earliest. On the loop only.
final class TimerQueue {
    private struct Entry: Comparable {
        let deadline: UInt64
        let order: UInt64
        let timer: LoopTimer

        static func < (a: Entry, b: Entry) -> Bool { (a.deadline, a.order) < (b.deadline, b.order) }
        static func == (a: Entry, b: Entry) -> Bool { a.order == b.order }
    }

    let source: any DispatchSourceTimer
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

    func fire() {
        armedFor = .max
        let now = EventLoop.nowNanoseconds
        // Only what was due on entry: a body that sets a timer of zero must not keep the loop here.
        var due: [LoopTimer] = []
        while let first = heap.min, first.deadline <= now {
            heap.removeMin()
            due.append(first.timer)
        }
        arm()
        for timer in due { timer.run() }
    }

    private func arm() {
        guard let first = heap.min, first.deadline < armedFor else { return }
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
