import EventLoop

/// Puts a job into every loop's inbox once a second and measures its waiting time. A longer delay of a busy or stuck loop is visible at
/// the next probe that runs.
enum LoopLagProbe {
    /// Interval of the probes.
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
