import Testing

@testable import Postgres

@Suite("Lines of a lasting trouble")
struct RepeatedLineTests {
    @Test("A line with the same words is due again after its interval, however often it is tried meanwhile")
    func interval() {
        let lines = LogRateLimit()
        let start: UInt64 = 1_000
        #expect(lines.isDue("the database takes no writes", now: start))
        for later in [1, LogRateLimit.intervalNanoseconds / 2, LogRateLimit.intervalNanoseconds - 1] {
            #expect(!lines.isDue("the database takes no writes", now: start + later))
        }
        #expect(lines.isDue("the database takes no writes", now: start + LogRateLimit.intervalNanoseconds))
    }

    @Test("Other words have an interval of their own, and only so many lines are remembered, the newest ones")
    func others() {
        let lines = LogRateLimit()
        for number in 0...LogRateLimit.linesMax { #expect(lines.isDue("line \(number)", now: UInt64(number))) }
        let now = UInt64(LogRateLimit.linesMax) + 1
        #expect(!lines.isDue("line \(LogRateLimit.linesMax)", now: now), "the newest is remembered")
        #expect(lines.isDue("line 0", now: now), "the oldest made room")
    }
}
