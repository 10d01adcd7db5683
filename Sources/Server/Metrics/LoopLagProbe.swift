import EventLoop

/// Puts a job into every loop's inbox once a second and sees how long it waits there. A loop that is busy or stuck for longer
/// is seen at the next probe that gets through.
enum LoopLagProbe {
    /// Between two probes.
    static let interval = Duration.seconds(1)

    /// Probes until the task is cancelled.
    static func start(_ loops: [EventLoop]) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                for loop in loops {
                    let sent = EventLoop.nowNanoseconds
                    loop.execute { loop.metrics.lag.observe(EventLoop.nowNanoseconds &- sent) }
                }
                await loops[0].sleep(for: interval)
            }
        }
    }
}
