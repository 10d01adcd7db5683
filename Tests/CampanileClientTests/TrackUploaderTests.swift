import EventLoop
import Foundation
import Synchronization
import Testing
import Wire

@testable import CampanileClient

@Suite("Track uploader", .timeLimit(.minutes(3)))
struct TrackUploaderTests {
    private func makeUploader(
        _ server: FakeServer, events: TrackEvents = TrackEvents(),
        change: (inout TrackUploader.Options) -> Void = { _ in }
    ) async throws -> TrackUploader {
        let client = ResilientClient(
            address: server.address, token: "t", loops: try #require(FakeServer.clientLoops), options: quickOptions())
        await client.start()
        var options = TrackUploader.Options(activity: .run, clientId: "c")
        options.backoff = Backoff(base: .milliseconds(1), max: .milliseconds(5))
        change(&options)
        return TrackUploader(client: client, options: options, events: events)
    }

    @Test("points whose reply is lost with the connection are sent again, and each is acknowledged once")
    func resendsAfterCut() async throws {
        let server = try FakeServer { request, before in
            request.method == TrackingPoints.name && before == 0 ? .cut : wellBehaved(request)
        }
        let seqs = Mutex<[Int64]>([])
        let uploader = try await makeUploader(
            server, events: TrackEvents(onAcknowledged: { ack in seqs.withLock { $0 += ack.seqs } }))
        try await uploader.add(contentsOf: (1...3).map(makeFix))
        let session = try await uploader.finish()
        #expect(session.state == .finished)
        #expect(try server.pointSeqs() == [[1, 2, 3], [1, 2, 3]])
        #expect(seqs.withLock { $0 } == [1, 2, 3])
        #expect(server.requests(TrackingPoints.name).map(\.connection) == [1, 2])
        #expect(server.requests(TrackingStart.name).count == 1)
        #expect(server.state.withLock { $0.hellos } == ["t", "t"])
        #expect(await uploader.retries == 1)
    }

    @Test("pause, resume and stop keep their places among the points")
    func commandsKeepTheirPlace() async throws {
        let server = try FakeServer { request, before in
            // Every method fails once: order must survive that as well.
            before == 0 ? .error(RPCError(.internalError, "try again", reference: "r")) : wellBehaved(request)
        }
        let uploader = try await makeUploader(server) { $0.batchPointsMax = 2 }
        try await uploader.add(contentsOf: (1...3).map(makeFix))
        try await uploader.pause()
        try await uploader.resume()
        try await uploader.add(makeFix(4))
        try await uploader.stop()
        try await uploader.finish()
        let order = server.received.map { String($0.method.dropFirst("tracking.".count)) }
        #expect(
            order == [
                "start", "start", "points", "points", "points", "pause", "pause", "resume", "resume", "points", "stop",
                "stop",
            ])
        #expect(try server.pointSeqs() == [[1, 2], [1, 2], [3], [4]])
        await #expect(throws: ClientError.closed) { try await uploader.add(makeFix(5)) }
    }

    @Test("the wait that the server asks for is kept")
    func honoursRetryAfter() async throws {
        let refusedAt = Mutex<UInt64>(0)
        let cameBackAfter = Mutex<UInt64>(0)
        let server = try FakeServer { request, before in
            guard request.method == TrackingPoints.name else { return wellBehaved(request) }
            if before == 0 {
                refusedAt.withLock { $0 = EventLoop.nowNanoseconds }
                return .error(RPCError(.unavailable, "the database is away", retryAfter: 0.15))
            }
            cameBackAfter.withLock { $0 = EventLoop.nowNanoseconds - refusedAt.withLock { $0 } }
            return wellBehaved(request)
        }
        let uploader = try await makeUploader(server)
        try await uploader.add(makeFix(1))
        try await uploader.finish()
        // The uploader's own backoff is at most 5 ms: only the server's wish makes it wait this long.
        #expect(cameBackAfter.withLock { $0 } >= 150_000_000)
        #expect(server.connectionsMade == 1)
    }

    @Test("refused points are dropped and reported, and a point the server cannot read does not hold up the others")
    func dropsRefused() async throws {
        let server = try FakeServer { request, before in
            guard request.method == TrackingPoints.name, let params = try? request.params(TrackingPoints.self) else {
                return wellBehaved(request)
            }
            if before == 0 { return .error(.invalid("points[2].lat", "must be from -90 to 90")) }
            let refused = params.points.filter { $0.seq == 2 }.map {
                TrackingPoints.Remark(seq: $0.seq, reason: "futureTime")
            }
            return .result(
                TrackingPoints.Result(
                    stored: params.points.count - refused.count, duplicates: 0, refused: refused, notCounted: [],
                    session: makeSession()))
        }
        let remarks = Mutex<[TrackingPoints.Remark]>([])
        let seqs = Mutex<[Int64]>([])
        let uploader = try await makeUploader(
            server,
            events: TrackEvents(onAcknowledged: { ack in
                remarks.withLock { $0 += ack.refused }
                seqs.withLock { $0 += ack.seqs }
            }))
        try await uploader.add(contentsOf: (1...4).map(makeFix))
        try await uploader.finish()
        #expect(try server.pointSeqs() == [[1, 2, 3, 4], [1, 2, 4]])
        #expect(
            remarks.withLock { $0 } == [
                TrackingPoints.Remark(seq: 3, reason: "invalidParams"),
                TrackingPoints.Remark(seq: 2, reason: "futureTime"),
            ])
        #expect(seqs.withLock { $0 } == [1, 4])
        #expect(await uploader.acknowledgedPoints == 2)
        #expect(await uploader.refusedPoints == 2)
    }

    @Test("a full queue holds up the one who adds until points are acknowledged, and none is lost")
    func backpressure() async throws {
        let server = try FakeServer { request, _ in wellBehaved(request) }
        let queued = Mutex<[Int]>([])
        let uploader = try await makeUploader(
            server,
            events: TrackEvents(onSend: { _, points, _ in queued.withLock { $0.append(points.count) } })
        ) { $0.queueEntriesMax = 4 }
        try await uploader.add(contentsOf: (1...50).map(makeFix))
        try await uploader.finish()
        #expect(queued.withLock { $0.allSatisfy { $0 <= 4 } })
        #expect(try server.pointSeqs().flatMap { $0 } == Array(1...50))
        #expect(await uploader.acknowledgedPoints == 50)
    }

    @Test("a request that is never answered is sent again on a new connection, one at a time")
    func timeout() async throws {
        let server = try FakeServer { request, before in
            request.method == TrackingPoints.name && before == 0 ? .silence : wellBehaved(request)
        }
        let uploader = try await makeUploader(server) { $0.replyTimeout = .milliseconds(50) }
        try await uploader.add(makeFix(1))
        try await uploader.finish()
        #expect(server.requests(TrackingPoints.name).map(\.connection) == [1, 2])
    }

    @Test("an error that trying again cannot mend ends the uploader and reaches all who wait")
    func fatal() async throws {
        let server = try FakeServer { request, _ in
            request.method == TrackingStart.name ? .error(RPCError(.forbidden, "no")) : wellBehaved(request)
        }
        let uploader = try await makeUploader(server)
        await #expect(throws: RPCError.self) { try await uploader.start() }
        await #expect(throws: RPCError.self) { try await uploader.add(makeFix(1)) }
        await #expect(throws: RPCError.self) { try await uploader.finish() }
    }

    @Test("a stop that was carried out before its reply was lost counts as done")
    func stopTwice() async throws {
        let server = try FakeServer { request, before in
            switch request.method {
            case TrackingStop.name: before == 0 ? .cut : .error(RPCError(.conflict, "the session is finished"))
            case TrackingSession.name:
                .result(TrackingSession.Result(session: makeSession(state: .finished), route: [], notCounted: [:]))
            default: wellBehaved(request)
            }
        }
        let uploader = try await makeUploader(server)
        try await uploader.add(makeFix(1))
        #expect(try await uploader.finish().state == .finished)
    }
}
