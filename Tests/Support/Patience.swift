import Synchronization

/// How long tests wait for what must come.
///
/// The limit only ends a test that fails, so it is long: on a machine that runs all tests at once, what takes 15 seconds alone may take more
/// than a minute. Once several waits were in vain something is broken, and all others together must not take hours.
public enum Patience {
    private static let long = Duration.seconds(180)
    private static let short = Duration.seconds(30)
    /// Waits in vain after which the limit is short.
    private static let vainMax = 5
    private static let vain = Atomic<Int>(0)

    /// The limit for a wait that begins now.
    public static var limit: Duration { vain.load(ordering: .relaxed) < vainMax ? long : short }

    /// Notes that a wait with this limit was in vain.
    static func ended(after limit: Duration) {
        if limit >= long { vain.wrappingAdd(1, ordering: .relaxed) }
    }
}
