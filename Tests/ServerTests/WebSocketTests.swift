import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@Suite("WebSocket sessions")
struct WebSocketSessionTests {
    // MARK: What breaks the rules

    @Test("A binary message is 1003, invalid UTF-8 is 1007, too large is 1009, no mask is 1002")
    func violations() async throws {
        let port = try await Shared.server.port
        let cases: [([UInt8], Int)] = [
            (RawWebSocket.frame(2, [1, 2, 3]), 1003),
            (RawWebSocket.frame(1, [0xC3, 0x28]), 1007),
            (RawWebSocket.frame(1, [], declaredLength: 1_048_577), 1009),
            ([0x81, 0x02, 0x7B, 0x7D], 1002),
            (RawWebSocket.frame(8, [0x03]), 1002),
        ]
        for (bytes, code) in cases {
            let client = try await RawWebSocket(port: port)
            try await client.socket.send(bytes)
            #expect(try await client.closeCode() == code)
            client.socket.close()
        }
    }

    @Test("A message in fragments beyond the limit is 1009")
    func oversizedInFragments() async throws {
        let client = try await RawWebSocket(port: try await Shared.server.port)
        let half = [UInt8](repeating: 0x20, count: 600_000)
        try await client.socket.send(RawWebSocket.frame(1, half, isFinal: false))
        try await client.socket.send(RawWebSocket.frame(0, [], declaredLength: 600_000))
        #expect(try await client.closeCode() == 1009)
    }

    @Test("Before hello every request is unauthenticated; a bad token leaves it so; then one may be a guest")
    func beforeHello() async throws {
        let client = try await RawWebSocket(port: try await Shared.server.port, hello: false)
        try await client.request(1, "ping")
        #expect(try await client.reply().errorCode == 1001)
        try await client.request(2, "nothing")
        #expect(try await client.reply().errorCode == -32601)
        try await client.request(3, "hello", #"{"token":"wrong"}"#)
        #expect(try await client.reply().errorCode == 1001)
        try await client.request(4, "ping")
        #expect(try await client.reply().errorCode == 1001)
        try await client.request(5, "hello")
        #expect(try await client.reply().errorCode == nil)
        try await client.request(6, "ping")
        #expect(try await client.reply().errorCode == nil)
    }

    @Test("Killed in the middle of a frame, and in the middle of a request's work, the server goes on")
    func killed() async throws {
        let port = try await Shared.server.port
        for bytes in [
            Array(RawWebSocket.text(String(repeating: "x", count: 5_000)).prefix(700)),
            RawWebSocket.text(
                #"{"jsonrpc":"2.0","id":1,"method":"account.login","params":{"email":"a@b.cd","password":"x"}}"#),
            [0x81],
        ] {
            let client = try await RawWebSocket(port: port)
            try await client.socket.send(bytes)
            client.socket.reset()
        }
        let next = try await RawWebSocket(port: port)
        try await next.request(1, "ping")
        #expect(try await next.reply().id == 1)
    }

    @Test("A client that shut its side down still gets the answers to what it asked, then the end")
    func halfClosed() async throws {
        let client = try await RawWebSocket(port: try await Shared.server.port)
        // In one write, each with a look into the database: most still wait when the end is seen.
        try await client.socket.send(
            (1...20).flatMap {
                RawWebSocket.text(
                    #"{"jsonrpc":"2.0","id":\#($0),"method":"tracking.session","params":{"session":999999}}"#)
            })
        client.socket.shutDownWriting()
        for id in 1...20 { #expect(try await client.reply().id == id) }
        _ = try await client.socket.readToEnd()
    }

    @Test("A ping is answered with its payload, a close with its code")
    func control() async throws {
        let client = try await RawWebSocket(port: try await Shared.server.port)
        try await client.socket.send(RawWebSocket.frame(9, Array("abc".utf8)))
        let pong = try await client.next()
        #expect(pong.opcode == 10 && pong.text == "abc")
        try await client.socket.send(RawWebSocket.frame(8, [0x03, 0xE8]))
        #expect(try await client.closeCode() == 1000)
        #expect(try await client.socket.readToEnd().isEmpty)
    }

    // MARK: Order and bounds

    @Test("Replies come in the order of the requests, whatever each takes")
    func order() async throws {
        let client = try await RawWebSocket(port: try await Shared.server.port)
        let zone = try await zoneIDs().first ?? 0
        var bytes: [UInt8] = []
        for id in 1...60 {
            let (method, params) =
                switch id % 4 {
                case 0: ("ping", "{}")
                case 1: ("subscribe", #"{"topic":"zone/\#(zone)/positions"}"#)
                case 2: ("account.login", #"{"email":"no\#(id)@example.org","password":"Wrong1234"}"#)
                default: ("tracking.session", #"{"session":999999}"#)
                }
            bytes += RawWebSocket.text(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#)
        }
        try await client.socket.send(bytes)
        for id in 1...60 { #expect(try await client.reply().id == id) }
    }

    private static func view(_ id: Int, south: Double = 10) -> [UInt8] {
        let params = #"{"box":[\#(south),20,\#(south + 0.001),20.001],"zoom":17}"#
        return RawWebSocket.text(#"{"jsonrpc":"2.0","id":\#(id),"method":"positions.view","params":\#(params)}"#)
    }

    @Test("Moves of a map, which need no task, are answered in their turn, whatever stands behind them")
    func viewsInOrder() async throws {
        // On each loop.
        for _ in 0..<4 {
            let client = try await RawWebSocket(port: try await Shared.server.port)
            var bytes: [UInt8] = []
            for id in 1...60 {
                switch id % 4 {
                case 0: bytes += Self.view(id, south: 95)
                case 1: bytes += RawWebSocket.text(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
                default: bytes += Self.view(id, south: Double(id))
                }
            }
            try await client.socket.send(bytes)
            for id in 1...60 {
                let reply = try await client.reply()
                #expect(reply.id == id && (reply.errorCode == nil) == (id % 4 != 0))
            }
        }
    }

    @Test("A map that moves, and whose client closes or shuts its side down in the same breath, is answered first")
    func viewsBeforeTheEnd() async throws {
        for round in 0..<8 {
            let client = try await RawWebSocket(port: try await Shared.server.port)
            let views = (1...5).flatMap { Self.view($0, south: Double($0)) }
            if round % 2 == 0 {
                try await client.socket.send(views + RawWebSocket.frame(8, [0x03, 0xE8]))
            } else {
                try await client.socket.send(views)
                client.socket.shutDownWriting()
            }
            for id in 1...5 { #expect(try await client.reply().id == id) }
            if round % 2 == 0 { #expect(try await client.closeCode() == 1000) }
            _ = try await client.socket.readToEnd()
        }
    }

    @Test("A flood of 5,000 requests is answered completely and in order")
    func flood() async throws {
        let client = try await RawWebSocket(port: try await Shared.server.port)
        let bytes = (1...5_000).flatMap { RawWebSocket.text(#"{"jsonrpc":"2.0","id":\#($0),"method":"ping"}"#) }
        async let sent: Void = client.socket.send(bytes)
        try await sent
        for id in 1...5_000 {
            let reply = try await client.reply()
            guard reply.id == id else {
                Issue.record("reply \(reply.id ?? -1) instead of \(id)")
                return
            }
        }
    }

    @Test("A peer that asks and never reads is slowed down, not cut off; once it reads, every request is answered")
    func backpressure() async throws {
        let client = try await RawWebSocket(port: try await Shared.server.port, isSlow: true)
        // Replies of some kilobytes to requests of one: both directions fill up.
        let pad = String(repeating: "x", count: 1_000)
        let request = RawWebSocket.text(#"{"jsonrpc":"2.0","id":1,"method":"campus.info","params":{"pad":"\#(pad)"}}"#)
        let limit = 64 * 1_048_576
        let taken = try await client.socket.sendUntilRefused(request, bytesMax: limit, patience: 1)
        #expect(taken < limit / 2, "the server took \(taken) bytes from a peer that does not read")
        let whole = taken / request.count
        for _ in 0..<whole { #expect(try await client.reply().id == 1) }
    }

    private func zoneIDs() async throws -> [Int64] {
        let connection = try await Shared.server.connect()
        defer { Task { await connection.close() } }
        return try await connection.call(CampusInfoGet.self).zones.map(\.id)
    }

    // MARK: Logging out

    @Test("Logging out answers first and then closes every socket of that token with 4003, and no other")
    func logout() async throws {
        let server = try await Shared.server
        let (first, account) = try await server.register()
        let other = try await server.connect()
        let second = try await other.call(
            AccountLogin.self,
            AccountLogin.Params(email: account.account.email, password: TestServer.password))
        #expect(second.token != account.token)

        let beside = try await RawWebSocket(port: server.port, token: account.token)
        let logsOut = try await RawWebSocket(port: server.port, token: account.token)
        let elsewhere = try await RawWebSocket(port: server.port, token: second.token)
        let guest = try await RawWebSocket(port: server.port)
        try await logsOut.request(9, "account.logout")
        let reply = try await logsOut.next()
        #expect(reply.id == 9 && reply.errorCode == nil)
        #expect(try await logsOut.closeCode() == 4003)
        #expect(try await beside.closeCode() == 4003)
        guard case .disconnected(_, let code) = await first.untilEnded() else {
            Issue.record("the first connection ended otherwise")
            return
        }
        #expect(code == 4003)
        for (index, client) in [elsewhere, guest].enumerated() {
            try await client.request(index, "ping")
            #expect(try await client.reply().id == index)
        }
        let again = try await RawWebSocket(port: server.port, hello: false)
        try await again.request(1, "hello", #"{"token":"\#(account.token)"}"#)
        #expect(try await again.reply().errorCode == 1001)
        await other.close()
    }

    @Test("Requests behind a logout in the same write are not carried out under the revoked token")
    func logoutPipelined() async throws {
        let server = try await Shared.server
        let (connection, account) = try await server.register()
        let client = try await RawWebSocket(port: server.port, token: account.token)
        try await client.socket.send(
            RawWebSocket.text(#"{"jsonrpc":"2.0","id":1,"method":"account.logout"}"#)
                + RawWebSocket.text(
                    #"{"jsonrpc":"2.0","id":2,"method":"tracking.start","params":{"activity":"run","clientId":"\#(UUID().uuidString)"}}"#
                ))
        let reply = try await client.next()
        #expect(reply.id == 1 && reply.errorCode == nil)
        let next = try await client.next()
        #expect(next.opcode == 8 && next.closeCode == 4003)
        await connection.close()
    }

    @Test("Logging out everywhere closes all devices; another account stays")
    func logoutEverywhere() async throws {
        let server = try await Shared.server
        let (first, account) = try await server.register()
        let second = try await server.connect()
        try await second.call(
            AccountLogin.self, AccountLogin.Params(email: account.account.email, password: TestServer.password))
        let (stranger, _) = try await server.register()
        #expect(try await second.call(AccountLogoutEverywhere.self).revoked == 2)
        await first.untilEnded()
        await second.untilEnded()
        _ = try await stranger.call(AccountMe.self)
        await stranger.close()
    }
}
