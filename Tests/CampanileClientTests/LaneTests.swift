import EventLoop
import Foundation
import Testing
import WebSocket
import Wire

@testable import CampanileClient

@Suite("The lanes, where the server or the network is no help", .timeLimit(.minutes(3)))
struct LaneTests {
    private static let viewport = MapViewport(south: 51, west: 7, north: 52, east: 8, zoom: 9)
    private static let cells = [266, 267].map { PositionFrame.Area.cell(zoom: 9, x: $0, y: 170) }

    private func client(
        of server: FakeServer, callTimeout: Duration = .seconds(15)
    ) async throws -> ResilientClient {
        var options = quickOptions()
        options.connection.callTimeout = callTimeout
        let client = ResilientClient(
            address: server.address, loops: try #require(FakeServer.clientLoops), options: options)
        await client.start()
        return client
    }

    /// Waits for as long as the suite may take.
    private func until(_ condition: () async throws -> Bool) async throws {
        while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// The boxes that were asked for; nil where the map was closed.
    private func boxes(_ server: FakeServer) throws -> [[Double]?] {
        try server.requests(PositionsView.name).map { try $0.params(PositionsView.self).box }
    }

    private func answer(_ request: Received) -> Answer {
        let isOpen = (try? request.params(PositionsView.self).box) != nil
        return .result(PositionsView.Result(topics: isOpen ? Self.cells.map(\.topic) : []))
    }

    private func snapshot(of cell: PositionFrame.Area) -> [UInt8] {
        let grid = PositionGrid(originLat: 0, originLon: 0, latStep: 1, lonStep: 1)
        return PositionEncoder(area: cell, grid: grid).snapshot(serverTime: .now)
    }

    private func counts(of cell: PositionFrame.Area, _ count: UInt32) -> [UInt8] {
        let record = CountsFrame.Record(index: 7, count: count, lat: 5_150_000, lon: 750_000)
        return CountsFrame(area: cell, serverTime: .now, records: [record]).encoded
    }

    // MARK: Maps

    @Test("A picture is current when all of its cells were told, be it runners or counts, and not before")
    func current() async throws {
        let server = try FakeServer { request, _ in answer(request) }
        let client = try await client(of: server)
        var pictures = client.positions(in: Self.viewport).makeAsyncIterator()
        #expect(try await pictures.next()?.isCurrent == false)
        server.push(frame: snapshot(of: Self.cells[0]))
        #expect(try await pictures.next()?.isCurrent == false)
        server.push(frame: counts(of: Self.cells[1], 80))
        let positions = try #require(try await pictures.next())
        #expect(positions.isCurrent && positions.count == 80)
        #expect(positions.clusters[Self.cells[1]]?.map(\.count) == [80])
        // Nothing else is asked for: nothing is missing.
        #expect(try boxes(server).count == 1)

        // Another connection: what was known stays, and is not current.
        await client.reconnect("a tunnel")
        let after = try #require(try await pictures.next())
        #expect(!after.isCurrent && after.count == 80)
        try await until { server.requests(PositionsView.name).count == 2 }
        for cell in Self.cells { server.push(frame: counts(of: cell, 30)) }
        var last = after
        while !last.isCurrent { last = try #require(try await pictures.next()) }
        #expect(last.count == 60)
        await client.close()
        server.stop()
    }

    @Test("A view that failed is given up before it is asked for again: else the server would tell of no cell")
    func failedView() async throws {
        let server = try FakeServer { request, before in
            before == 1 ? .error(RPCError(.internalError, "try again", reference: "r")) : answer(request)
        }
        let client = try await client(of: server)
        let map = client.positions(in: Self.viewport)
        var pictures = map.makeAsyncIterator()
        _ = try await pictures.next()
        var moved = Self.viewport
        moved.south = 51.5
        map.move(to: moved)
        try await until { try boxes(server).count == 4 }
        #expect(try boxes(server) == [[51, 7, 52, 8], [51.5, 7, 52, 8], nil, [51.5, 7, 52, 8]])
        await client.close()
        server.stop()
    }

    @Test("A frame that cannot be read is a reason to ask for the view anew, and until it is told nothing is current")
    func unreadable() async throws {
        let server = try FakeServer { request, _ in answer(request) }
        let client = try await client(of: server)
        var pictures = client.positions(in: Self.viewport).makeAsyncIterator()
        _ = try await pictures.next()
        for cell in Self.cells { server.push(frame: snapshot(of: cell)) }
        while try await pictures.next()?.isCurrent == false {}
        server.push(frame: [PositionFrame.kind, 99])
        #expect(try await pictures.next()?.isCurrent == false)
        try await until { try boxes(server).count == 3 }
        #expect(try boxes(server)[1] == nil)
        #expect(try await pictures.next()?.isCurrent == false)
        for cell in Self.cells { server.push(frame: snapshot(of: cell)) }
        while try await pictures.next()?.isCurrent == false {}
        await client.close()
        server.stop()
    }

    @Test("Of many moves the last one is what the server is told in the end")
    func moves() async throws {
        let server = try FakeServer { request, _ in answer(request) }
        let client = try await client(of: server)
        let map = client.positions(in: Self.viewport)
        var pictures = map.makeAsyncIterator()
        _ = try await pictures.next()
        var last = Self.viewport
        for step in 1...500 {
            last.west = 7 + Double(step) / 1_000
            map.move(to: last)
        }
        let wanted = last
        while try await pictures.next()?.viewport != wanted {}
        try await until { try boxes(server).last == [51, wanted.west, 52, 8] }
        await client.close()
        server.stop()
    }

    // MARK: Leaving

    @Test("A reader that is cancelled while there is no connection leaves nothing behind, and so does a publisher")
    func cancelledOffline() async throws {
        let server = try FakeServer()
        // Never started: it has no connection.
        let client = ResilientClient(
            address: server.address, loops: try #require(FakeServer.clientLoops), options: quickOptions())
        let waits: [@Sendable () async throws -> Void] = [
            { for try await _ in client.publications(of: .test(1)) {} },
            { for try await _ in client.session(1) {} },
            { for try await _ in client.positions(in: Self.viewport) {} },
            { try await client.publish(test: "x", to: .test(1)) },
        ]
        for wait in waits {
            let waiting = Task { try await wait() }
            try await until { await client.connectionWaiters.count == 1 }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            try await until { await client.claims.isEmpty }
        }
        await client.close()
        server.stop()
    }

    @Test("Who leaves before the answer has come is unsubscribed, and its map closed, though the answer never comes")
    func cancelledUnanswered() async throws {
        let server = try FakeServer()
        let client = try await client(of: server, callTimeout: .seconds(3))
        let reads: [@Sendable () async throws -> Void] = [
            { for try await _ in client.publications(of: .test(1)) {} },
            { for try await _ in client.session(1) {} },
        ]
        for read in reads {
            let (joined, left) = (server.requests(Subscribe.name).count, server.requests(Unsubscribe.name).count)
            let reading = Task { try await read() }
            try await until { server.requests(Subscribe.name).count > joined }
            reading.cancel()
            try await until { server.requests(Unsubscribe.name).count > left }
            try await until { await client.claims.isEmpty }
        }
        let looking = Task { for try await _ in client.positions(in: Self.viewport) {} }
        try await until { try boxes(server).count == 1 }
        looking.cancel()
        try await until { try boxes(server).last == .some(nil) }
        await client.close()
        server.stop()
    }
}
