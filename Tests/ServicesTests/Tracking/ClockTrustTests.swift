import TestSupport
import Testing
import Wire

@testable import Services

@Suite("A server whose clock is behind")
struct ClockTrustTests {
    private let start = TestClock().now

    private func ahead(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    @Test("refuses nothing for good while no device agrees, and then what most devices contradict")
    func votes() {
        var trust = ClockTrust()
        #expect(!trust.isTrusted(uptime: 0))
        trust.note([ahead(3_600)], of: 1, now: start, uptime: 0)
        #expect(!trust.isTrusted(uptime: 0))
        #expect(trust.warning(uptime: 0) == nil)
        trust.note([ahead(-1)], of: 2, now: start, uptime: 0)
        #expect(trust.isTrusted(uptime: 0))
        for account in [3, 4] as [Int64] { trust.note([ahead(3_601)], of: account, now: start, uptime: 0) }
        #expect(!trust.isTrusted(uptime: 0))
        #expect(trust.warning(uptime: 0)?.contains("3 devices are ahead of it and 1 agree") == true)
        // A device's latest request counts; what was recorded offline says nothing.
        trust.note([ahead(-7_200)], of: 3, now: start, uptime: 0)
        #expect(!trust.isTrusted(uptime: 0))
        for account in [3, 4] as [Int64] { trust.note([ahead(0)], of: account, now: start, uptime: 0) }
        #expect(trust.isTrusted(uptime: 0))
        // One wrong time among many right ones is the receiver's fault.
        trust.note([ahead(-2), ahead(-1), ahead(3_600)], of: 5, now: start, uptime: 0)
        #expect(trust.counts(uptime: 0) == (4, 1))
    }

    @Test("loses its votes with time and when the clock jumps; their number is bounded")
    func ends() {
        var trust = ClockTrust()
        trust.note([start], of: 1, now: start, uptime: 0)
        let later = ClockTrust.votesNanosecondsMax + 1
        let moved = start.advanced(bySeconds: Double(later) / 1e9)
        #expect(!trust.isTrusted(uptime: later))
        trust.note([moved], of: 1, now: moved, uptime: later)
        #expect(trust.isTrusted(uptime: later))
        // Set back by an hour: who agreed with the clock before says nothing of it now.
        let back = moved.advanced(bySeconds: -3_600)
        trust.note([back.advanced(bySeconds: -7_200)], of: 1, now: back, uptime: later)
        #expect(!trust.isTrusted(uptime: later))
        for account in 0..<Int64(ClockTrust.votesMax + 100) {
            trust.note([back], of: account, now: back, uptime: later)
        }
        #expect(trust.counts(uptime: later).agreeing == ClockTrust.votesMax)
    }

    @Test("is told by the database of another machine, which alone raises doubt and settles it")
    func database() {
        var trust = ClockTrust()
        trust.note(databaseAheadSeconds: 0.2)
        #expect(trust.isTrusted(uptime: 0))
        trust.note(databaseAheadSeconds: 3_600)
        trust.note([start], of: 1, now: start, uptime: 0)
        #expect(!trust.isTrusted(uptime: 0))
        #expect(trust.warning(uptime: 0) == "the server's clock is 3600 s behind the database's: set both by NTP")
        trust.note(databaseAheadSeconds: nil)
        #expect(trust.isTrusted(uptime: 0))
    }

    @Test("asks devices to keep their points, and has them all once its clock is right")
    func kept() async throws {
        let world = try await World()
        var runs: [(who: Identity, session: Session, points: [TrackPoint])] = []
        for _ in 0..<3 {
            let who = try await world.member()
            let session = try await world.start(who)
            runs.append((who, session, steadyRun(1...20, from: session.startedAt.advanced(bySeconds: 3_600))))
        }
        for run in runs {
            let error = await refusal(.unavailable) { try await world.send(run.points, to: run.session, as: run.who) }
            #expect(error?.data?.retryAfter == ClockTrust.retrySeconds)
            #expect(error?.data?.field == "serverTime")
            let stop = await refusal(.unavailable) {
                try await world.stop(run.session, at: run.points.last?.time, as: run.who)
            }
            #expect(stop?.data?.retryAfter == ClockTrust.retrySeconds)
        }
        #expect(await world.tracking.clockWarning != nil)
        world.clock.advance(bySeconds: 3_620)
        for run in runs {
            let result = try await world.send(run.points, to: run.session, as: run.who)
            #expect((result.stored, result.refused) == (20, []))
            _ = try await world.stop(run.session, at: run.points.last?.time, as: run.who)
        }
        #expect(await world.tracking.clockWarning == nil)
    }
}
