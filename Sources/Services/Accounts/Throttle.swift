import EventLoop

/// Exponential back-off per key: after a number of free failures the delay doubles with each further failure.
///
/// Kept in bounded memory; a restart clears it. Confined to its owner's loop. O(1).
struct Throttle {
    /// Seconds without a failure after which a key is forgotten.
    static let forgetSeconds = 3_600.0
    /// Largest number of keys kept; the half with the oldest failures is dropped beyond it.
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
    ///   - freeFailures: Failures without a delay, because people mistype.
    ///   - waitSecondsMax: Longest delay.
    ///   - now: Monotonic clock in nanoseconds.
    init(
        freeFailures: Int, waitSecondsMax: Double, now: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }
    ) {
        self.freeFailures = freeFailures
        self.waitSecondsMax = waitSecondsMax
        self.now = now
    }

    /// Seconds until the next permitted attempt of `key`; nil if an attempt is permitted now.
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

    /// Removes one recorded failure that was not the caller's fault.
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
