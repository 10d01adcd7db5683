import Dispatch
import Glibc

/// The inbox: work from other threads, in the order of its arrival.
extension EventLoop {
    /// Runs `body` on the loop, after the entries already in the inbox. From any thread; never blocks.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        enqueue(.body(body))
    }

    func enqueue(_ entry: InboxEntry) {
        let attention = inbox.withLock { inbox in
            inbox.entries.append(entry)
            defer {
                if inbox.attention == .away { inbox.attention = .called }
                if inbox.attention == .waiting { inbox.attention = .running }
            }
            return inbox.attention
        }
        switch attention {
        case .away: queue.async { self.run() }
        case .waiting:
            var one: UInt64 = 1
            // Cannot fail: the loop resets the counter at each wake-up.
            _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
        case .called, .running: break
        }
    }

    /// Runs the entries of the inbox, at most ``inboxJobsPerIterationMax``.
    /// - Returns: False if entries are left.
    @discardableResult
    func runInbox() -> Bool {
        for _ in 0..<Self.inboxJobsPerIterationMax {
            guard let entry = inbox.withLock({ $0.entries.popFirst() }) else { return true }
            switch entry {
            case .body(let body): body()
            case .job(let job):
                job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
        return false
    }
}
