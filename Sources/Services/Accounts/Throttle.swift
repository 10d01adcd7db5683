import EventLoop

/// Slows down guessing: after a few failures each key must wait, twice as long each time.
///
/// In memory and bounded; a restart forgives. On its owner's loop only. O(1).
struct Throttle {
    /// A key without failures for this long is forgotten, seconds.
    static let forgetSeconds = 3_600.0
    /// Keys kept; beyond it the stalest half goes.
    static let keysMax = 100_000

    private struct Entry {
        var failures: Int
        var lastFailure: UInt64
    }

    private var entries: [String: Entry] = [:]
    private let freeFailures: Int
    private let waitSecondsMax: Double
    private let now: @Sendable () -> UInt64

    /// - Parameters:
    ///   - freeFailures: Failures that cost nothing: people mistype.
    ///   - waitSecondsMax: The longest wait.
    ///   - now: The monotonic clock in nanoseconds.
    init(
        freeFailures: Int, waitSecondsMax: Double, now: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }
    ) {
        self.freeFailures = freeFailures
        self.waitSecondsMax = waitSecondsMax
        self.now = now
    }

    /// Seconds that `key` must still wait; nil when it may try.
    func wait(for key: String) -> Double? {
        guard let entry = entries[key], entry.failures >= freeFailures else { return nil }
        let exponent = min(entry.failures - freeFailures, 20)
        let penalty = min(waitSecondsMax, Double(1 << exponent))
        let passed = Double(now() - entry.lastFailure) / 1e9
        return passed < penalty ? penalty - passed : nil
    }

    mutating func fail(_ key: String) {
        let time = now()
        var entry = entries[key] ?? Entry(failures: 0, lastFailure: time)
        if Double(time - entry.lastFailure) / 1e9 > Self.forgetSeconds { entry.failures = 0 }
        entry.failures += 1
        entry.lastFailure = time
        if entries.count >= Self.keysMax, entries[key] == nil { forgetStalestHalf() }
        entries[key] = entry
    }

    /// Takes one failure back: it was not the caller's.
    mutating func forgive(_ key: String) {
        guard let failures = entries[key]?.failures else { return }
        if failures > 1 { entries[key]?.failures = failures - 1 } else { entries[key] = nil }
    }

    mutating func succeed(_ key: String) { entries[key] = nil }

    private mutating func forgetStalestHalf() {
        let times = entries.values.map(\.lastFailure).sorted()
        let median = times[times.count / 2]
        entries = entries.filter { $0.value.lastFailure > median }
    }
}
