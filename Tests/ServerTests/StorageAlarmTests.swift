import Logging
import Services
import Synchronization
import Testing
import Wire

@testable import Server

@Suite("The alarm of a full disk")
struct StorageAlarmTests {
    private final class Lines: Sendable {
        let count = Atomic<Int>(0)
    }

    private func logger(_ lines: Lines = Lines()) -> Logger {
        Logger(label: "campanile.server") { label in
            LineLogHandler(label: label, level: .critical, format: .text) { _ in
                lines.count.add(1, ordering: .relaxed)
            }
        }
    }

    @Test(
        "The operator reads one line a while, also when threads come with times that are a little older than the last line's"
    )
    func lines() {
        let lines = Lines()
        let alarm = StorageAlarm(logger: logger(lines)) { false }
        for now in [1_000, 999, 1, 1_000 + StorageAlarm.repeatNanoseconds] as [UInt64] {
            #expect(alarm.explain(.storageFull, now: now) == .storageFull)
        }
        #expect(lines.count.load(ordering: .relaxed) == 1)
        _ = alarm.explain(.storageFull, now: 1_001 + StorageAlarm.repeatNanoseconds)
        #expect(lines.count.load(ordering: .relaxed) == 2)
    }

    @Test("A database that is away is called a full disk when that is why, and otherwise what it is")
    func away() {
        let logger = logger()
        let away = RPCError(.unavailable, "the database is away: send again in a second", retryAfter: 1)
        #expect(StorageAlarm(logger: logger) { false }.explain(away) == away)
        #expect(StorageAlarm(logger: logger) { true }.explain(away) == .storageFull)
        let other = RPCError(.notFound, "there is none")
        #expect(StorageAlarm(logger: logger) { true }.explain(other) == other)
    }
}
