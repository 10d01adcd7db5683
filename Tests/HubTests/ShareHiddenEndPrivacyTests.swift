import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub

/// Finding E5: what viewers of a share learn of an end or of silence in a hidden place.
@Suite("Shares that end or fall silent in a hidden place")
struct ShareHiddenEndPrivacyTests {
    let base = ShareTests()
    var stage: Stage { base.stage }

    /// Seconds since the share began at which a viewer got something, and what.
    private func transcript(
        _ precision: Wire.Precision = .exact, until end: Int, _ step: (Int, StoredShare) async throws -> Void
    ) async throws -> [String] {
        let share = await base.share(precision)
        let start = stage.clock.now
        try await base.report(0.1)
        await stage.hub.shares.changed(share)
        let viewer = try await base.watch(share)
        _ = try await base.updates(viewer)
        var received: [String] = []
        for second in 1...end {
            stage.clock.advance(bySeconds: 1)
            try await step(second, share)
            await stage.hub.shares.runSweep()
            received += try await base.updates(viewer).map {
                "\(Int(stage.clock.now.seconds(since: start))) \($0.type) \($0.state as Any) \($0.location as Any)"
            }
        }
        return received
    }

    /// Walks on for a while behind the border of a private zone.
    private func walk(_ second: Int, until last: Int) async throws {
        if second >= 10, second <= last { try await base.report(0.1, latitude: 60) }
    }

    @Test(
        "When a device falls silent in a private zone, viewers learn it at the next quarter of an hour since they saw it"
    )
    func silence() async throws {
        var transcripts: Set<[String]> = []
        for last in [10, 300, 899] {
            let one = ShareHiddenEndPrivacyTests()
            transcripts.insert(
                try await one.transcript(until: 2_000) { second, _ in try await one.walk(second, until: last) })
        }
        let received = try #require(transcripts.first)
        #expect(transcripts.count == 1, "\(transcripts)")
        #expect(received.map { $0.prefix { $0 != " " } } == ["10", "1800"])
        #expect(received.last?.contains("none") == true)
    }

    @Test("Whoever opens it meanwhile sees it hidden")
    func opened() async throws {
        _ = try await transcript(until: 1_500) { second, share in
            try await walk(second, until: 10)
            guard second == 1_400 else { return }
            let viewer = try await base.watch(share, opening: 2)
            let snapshot = await viewer.take().flatMap(\.messages).compactMap {
                try? WireJSON.decode(
                    Success<Subscribed<ShareSnapshot>>.self, from: RecordingViewer.payload(of: $0.frame))
            }.first
            #expect(snapshot?.result.snapshot.state == .hidden)
        }
    }

    @Test("A location that is cleared in a private zone is hidden on, until the quarter of an hour")
    func cleared() async throws {
        let received = try await transcript(until: 1_000) { second, _ in
            try await walk(second, until: 200)
            if second == 200 { await stage.hub.shares.clearLocation(of: 9) }
        }
        #expect(received.map { $0.prefix { $0 != " " } } == ["10", "900"])
    }

    @Test(
        "Who stops in a private zone is hidden on and shown no more, wherever they go; their own devices are told at once"
    )
    func stopped() async throws {
        for last in [20, 700] {
            let one = ShareHiddenEndPrivacyTests()
            let received = try await one.transcript(until: 1_000) { second, share in
                try await one.walk(second, until: last)
                if second == last {
                    let own = try await one.base.watch(share, opening: 0)
                    let ends = await one.stage.hub.shares.hiddenEnds(of: [share.id: share.startedAt])
                    #expect(ends == [share.id: share.startedAt.advanced(bySeconds: 900)])
                    await one.stage.hub.shares.delayEnds(ends)
                    #expect(try await one.base.updates(own).last?.type == .closed)
                }
                if second > last { try await one.base.report(0.2) }
            }
            #expect(received.map { $0.prefix { $0 != " " } } == ["10", "900"], "\(received)")
            #expect(received.last?.contains("closed") == true)
        }
    }

    @Test("Outside of hidden places an end is at once")
    func visible() async throws {
        let share = await base.share(.exact)
        try await base.report(0.1)
        await stage.hub.shares.changed(share)
        #expect(await stage.hub.shares.hiddenEnds(of: [share.id: share.startedAt]).isEmpty)
    }

    @Test(
        "When a device falls silent, a coarse share tells it at a look",
        arguments: [Wire.Precision.building, .zone, .campus])
    func coarse(precision: Wire.Precision) async throws {
        for last in [100, 117, 149] {
            let one = ShareHiddenEndPrivacyTests()
            let share = await one.base.share(precision)
            let received = try await one.transcript(precision, until: 1_500) { second, _ in
                if second <= last { try await one.base.report(0.1) }
            }
            let end = try #require(received.last)
            #expect(end.contains("none"))
            let time = share.startedAt.milliseconds / 1_000 + (Int64(end.prefix { $0 != " " }) ?? 0)
            #expect((time - 12) % precision.samplingSeconds <= 1, "\(precision) \(last) \(end)")
        }
    }
}
