import CampanileClient
import TestSupport
import Testing
import Wire

@Suite("Points as binary messages, over a socket")
struct BinaryPointsTests {
    /// Sends a frame and reads its answer; what else comes is left out.
    private func ask(_ client: RawWebSocket, _ frame: [UInt8]) async throws -> TrackReply {
        try await client.socket.send(RawWebSocket.frame(2, frame))
        while true {
            let answer = try await client.next()
            if answer.opcode == 8 { throw RawSocket.Failure(description: "closed with \(answer.closeCode ?? 0)") }
            if answer.opcode == 2 { return try TrackReply(decoding: answer.payload) }
        }
    }

    private func failure(_ reply: TrackReply) -> ErrorCode? {
        guard case .failed(let error) = reply.outcome else { return nil }
        return error.registered
    }

    @Test("They are stored as those that come as JSON are, and sending them again changes nothing")
    func stored() async throws {
        let server = try await Shared.server
        let (connection, signedIn) = try await server.register()
        let run = try await TestRun(connection, account: signedIn.account)
        let session = await run.id
        let client = try await RawWebSocket(port: server.port, token: signedIn.token)
        let points = await run.next(20)
        let frame = try TrackFrame(id: 7, session: session, points: points).encoded()
        let reply = try await ask(client, frame)
        guard case .taken(let taken) = reply.outcome else {
            Issue.record("refused: \(reply)")
            return
        }
        #expect(reply.id == 7 && taken.stored == 20 && taken.duplicates == 0 && taken.refused.isEmpty)
        #expect(taken.state == .running && taken.points == 20)
        guard case .taken(let again) = try await ask(client, frame).outcome else {
            Issue.record("refused the second time")
            return
        }
        #expect(again.stored == 0 && again.duplicates == 20 && again.points == 20)
        // What JSON says of them.
        let json = try await run.connection.call(TrackingSession.self, TrackingSession.Params(session: session)).session
        #expect(json.points == 20 && abs(json.distance - taken.distance) <= 0.05 && json.distance > 20)
        let more = try await run.run(3)
        #expect(more.session.points == 23)
        client.socket.close()
        await connection.close()
    }

    @Test("Strangers, guests, the silent and the wrong are told so, with the id of what they sent")
    func refused() async throws {
        let server = try await Shared.server
        let (connection, signedIn) = try await server.register()
        let run = try await TestRun(connection, account: signedIn.account)
        let (otherConnection, other) = try await server.register()
        let points = await run.next(1)
        let frame = try await TrackFrame(id: 9, session: run.id, points: points).encoded()

        let stranger = try await RawWebSocket(port: server.port, token: other.token)
        let answer = try await ask(stranger, frame)
        #expect(answer.id == 9 && failure(answer) == .notFound)
        let guest = try await RawWebSocket(port: server.port)
        #expect(failure(try await ask(guest, frame)) == .unauthenticated)
        let silent = try await RawWebSocket(port: server.port, hello: false)
        #expect(failure(try await ask(silent, frame)) == .unauthenticated)
        let owner = try await RawWebSocket(port: server.port, token: signedIn.token)
        let broken = try await ask(owner, Array(frame.dropLast()))
        #expect(broken.id == 0 && failure(broken) == .invalidParams)
        var wrong = points
        wrong[0].lat = 91
        let invalid = try await ask(owner, try TrackFrame(id: 10, session: run.id, points: wrong).encoded())
        #expect(failure(invalid) == .invalidParams)
        guard case .failed(let error) = invalid.outcome else { return }
        #expect(error.data?.field == "points[0].lat")
        // The connection lives, and takes what is right.
        guard case .taken(let taken) = try await ask(owner, frame).outcome else {
            Issue.record("refused what is right")
            return
        }
        #expect(taken.stored == 1)
        for client in [stranger, guest, silent, owner] { client.socket.close() }
        await connection.close()
        await otherConnection.close()
    }
}
