import CampanileClient
import EventLoop
import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Wire

@Suite("A server of one's own")
struct OwnServerTests {
    private func get(_ path: String, from server: TestServer) async throws -> RawResponse {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        try await socket.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        return try await socket.response()
    }

    @Test("readyz is 503 while the database is away, healthz is not, requests say when to come back, and all recovers")
    func databaseAway() async throws {
        let server = try await TestServer.start()
        #expect(try await get("/readyz", from: server).status == 200)
        let connection = try await server.connect()
        try await server.setDatabase(away: true)
        _ = try await eventually("readyz is 503") { try await get("/readyz", from: server).status == 503 ? true : nil }
        #expect(try await get("/healthz", from: server).status == 200)
        do {
            try await connection.call(
                AccountLogin.self, AccountLogin.Params(email: "a@b.cd", password: TestServer.password))
            Issue.record("logged in without a database")
        } catch let error as RPCError {
            #expect(error.registered == .unavailable)
            #expect(error.data?.retryAfter ?? 0 > 0)
        }
        try await server.setDatabase(away: false)
        _ = try await eventually("readyz is 200") { try await get("/readyz", from: server).status == 200 ? true : nil }
        await connection.close()
        await server.stop()
    }

    @Test("A database that takes no writes makes readyz 503, and requests that write are told when to come back")
    func databaseReadOnly() async throws {
        let server = try await TestServer.start()
        let (connection, _) = try await server.register()
        try await server.setDatabase(readOnly: true)
        // The loss of its sessions is another reason, for a moment.
        _ = try await eventually("readyz is 503 because of it") { () -> Bool? in
            let answer = try await get("/readyz", from: server)
            let says = String(decoding: answer.body, as: UTF8.self).contains("takes no writes")
            return answer.status == 503 && says ? true : nil
        }
        let start = TrackingStart.Params(activity: .run, clientId: UUID().uuidString)
        for _ in 0..<3 {
            let error = await #expect(throws: RPCError.self) { try await connection.call(TrackingStart.self, start) }
            #expect(error?.registered == .unavailable)
            #expect(error?.data?.retryAfter ?? 0 > 0)
        }
        try await server.setDatabase(readOnly: false)
        _ = try await eventually("readyz is 200") { try await get("/readyz", from: server).status == 200 ? true : nil }
        #expect(try await connection.call(TrackingStart.self, start).session.state == .running)
        await connection.close()
        await server.stop()
    }

    @Test("readyz warns when the database's clock is another, and no more when it agrees")
    func clock() async throws {
        let server = try await TestServer.start()
        let administrator = try await PostgresConnection.connect(
            configuration: server.access.administrator, loop: TestDatabase.shared.loop)
        let (role, name) = (server.access.application.user ?? "", server.access.application.database ?? "")
        // The server's role meets these functions first: a clock that is an hour ahead, on another machine.
        try await administrator.script(
            """
            CREATE SCHEMA elsewhere;
            GRANT USAGE ON SCHEMA elsewhere TO \(role);
            CREATE FUNCTION elsewhere.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
                $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$;
            CREATE FUNCTION elsewhere.inet_server_addr() RETURNS inet LANGUAGE sql AS $$ SELECT '192.0.2.1'::inet $$;
            """)
        let warning = "warning: the server's clock is in doubt, see the log"
        func readiness() async throws -> String {
            let answer = try await get("/readyz", from: server)
            #expect(answer.status == 200)
            return answer.text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        #expect(try await readiness() == "ready")
        for (path, says) in [("elsewhere, pg_catalog, public", "ready\n\(warning)"), ("public", "ready")] {
            try await administrator.script("ALTER ROLE \(role) IN DATABASE \(name) SET search_path = \(path)")
            // It compares the clocks at its start, and then once a minute.
            try await server.startAgain()
            _ = try await eventually("readyz says \(says)") { try await readiness() == says ? true : nil }
        }
        administrator.close()
        await server.stop()
    }

    @Test("A slow request is timed out with 408, a silent connection is closed, a socket without hello gets 4001")
    func limits() async throws {
        let server = try await TestServer.start {
            $0.requestTimeout = .milliseconds(300)
            $0.helloTimeout = .milliseconds(300)
            $0.idleTimeout = .milliseconds(300)
        }
        let slow = try RawSocket(port: server.port)
        try await slow.send("GET / HTTP/1.1\r\nHost:")
        #expect(try await slow.response().status == 408)
        #expect(try await slow.readToEnd().isEmpty)

        // The rest of a request begun behind another is on the same clock.
        let behind = try RawSocket(port: server.port)
        try await behind.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET / HT")
        #expect(try await behind.response().status == 200)
        #expect(try await behind.response().status == 408)

        let silent = try RawSocket(port: server.port)
        #expect(try await silent.readToEnd().isEmpty)
        let idle = try RawSocket(port: server.port)
        try await idle.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await idle.response().status == 200)
        #expect(try await idle.readToEnd().isEmpty)

        let mute = try await RawWebSocket(port: server.port, hello: false)
        #expect(try await mute.closeCode() == 4001)
        await server.stop()
    }

    @Test("A peer that takes nothing of its answers is cut off; the requests behind wait meanwhile")
    func stalledReader() async throws {
        let server = try await TestServer.start {
            $0.writeStallTimeout = .milliseconds(400)
            $0.idleTimeout = .milliseconds(400)
        }
        let socket = try RawSocket(port: server.port, isSlow: true)
        // Far more than the buffers on the way hold.
        let request = "GET /lib/leaflet/leaflet.js HTTP/1.1\r\nHost: x\r\n\r\n"
        try await socket.send(String(repeating: request, count: 200))
        // A reset is told to who sends on.
        _ = try await eventually("the connection is reset") { () -> Bool? in
            do {
                try await socket.send("x")
                return nil
            } catch is RawSocket.Failure {
                return true
            }
        }
        let healthy = try await get("/healthz", from: server)
        #expect(healthy.status == 200)
        await server.stop()
    }

    @Test("A slow reader that gets on has all the time it needs, with the connection's last answer, too")
    func slowReader() async throws {
        let server = try await TestServer.start {
            $0.writeStallTimeout = .seconds(4)
            $0.idleTimeout = .seconds(4)
        }
        let socket = try RawSocket(port: server.port, isSlow: true)
        let (name, count) = ("leaflet.js", 40)
        let requests = (1...count).map { number in
            "GET /lib/leaflet/\(name) HTTP/1.1\r\nHost: x\r\n\(number == count ? "Connection: close\r\n" : "")\r\n"
        }
        try await socket.send(requests.joined())
        var bodies: Set<[UInt8]> = []
        for _ in 1...count { bodies.insert(try await socket.response().body) }
        #expect(bodies.count == 1 && (bodies.first?.count ?? 0) > 100_000)
        #expect(try await socket.readToEnd().isEmpty)
        await server.stop()
    }

    @Test("stop() says 1012 to sockets, closes idle HTTP connections, and answers no more")
    func stop() async throws {
        let server = try await TestServer.start()
        let socket = try await RawWebSocket(port: server.port)
        let early = try await RawWebSocket(port: server.port, hello: false)
        let idle = try RawSocket(port: server.port)
        try await idle.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await idle.response().status == 200)
        await server.stop()
        #expect(try await socket.closeCode() == 1012)
        #expect(try await early.closeCode() == 1012)
        #expect(try await idle.readToEnd().isEmpty)
        #expect(throws: RawSocket.Failure.self) { try RawSocket(port: server.port) }
    }

    @Test("When the server stops, each WebSocket hears when to come back, each at another time")
    func restartSlots() async throws {
        let server = try await TestServer.start()
        var connections: [CampanileConnection] = []
        for _ in 0..<20 { connections.append(try await server.connect()) }
        let open = connections
        await server.stop()
        var slots: Set<Int> = []
        for connection in open {
            guard case .disconnected(let reason, 1012) = await connection.untilEnded() else {
                Issue.record("not closed with 1012")
                continue
            }
            let slot = try #require(RestartNotice.milliseconds(in: reason))
            #expect((0...RestartNotice.spreadMillisecondsMin).contains(slot))
            slots.insert(slot)
        }
        // Spread: twenty times the same would be no accident.
        #expect(slots.count > 1)
    }

    @Test("Above its limits the server says 503 or 429, with Retry-After, at once")
    func limitsOfConnections() async throws {
        let full = try await TestServer.start { $0.connectionsMax = 2 }
        let first = try RawSocket(port: full.port)
        try await first.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await first.response().status == 200)
        let second = try RawSocket(port: full.port)
        let third = try await RawSocket(port: full.port).response()
        #expect(third.status == 503)
        #expect(third.headers["retry-after"] != nil)
        second.close()
        await full.stop()

        let strict = try await TestServer.start {
            $0.addressLimits.openMax = 1
            $0.unlimitedNetworks = []
        }
        let one = try RawSocket(port: strict.port)
        #expect(try await RawSocket(port: strict.port).response().status == 429)
        one.close()
        await strict.stop()
    }

    @Test("A server with a certificate speaks wss and https, and nothing in the clear")
    func tls() async throws {
        let files = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        let (certificate, key) = (files.certificateFile, files.keyFile)
        let server = try await TestServer.start { $0.tls = (certificate: certificate, key: key) }
        let connection = try await server.connect(authorityFile: certificate)
        let name = TestServer.newName()
        let account = try await connection.call(
            AccountRegister.self,
            AccountRegister.Params(username: name, email: "\(name)@example.org", password: TestServer.password))
        #expect(account.account.username == name)
        let run = try await TestRun(connection, account: account.account)
        #expect(try await run.run(200).stored == 200)
        await connection.close()

        await #expect(throws: ClientError.self) { try await server.connect() }
        let plain = try RawSocket(port: server.port)
        try await plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(!String(decoding: try await plain.readToEnd(), as: UTF8.self).hasPrefix("HTTP"))
        await server.stop()
    }

    @Test("A certificate read again serves new connections, open ones stay, and a bad one changes nothing")
    func certificateReload() async throws {
        let files = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        let (certificate, key) = (files.certificateFile, files.keyFile)
        let server = try await TestServer.start { $0.tls = (certificate: certificate, key: key) }
        let connection = try await server.connect(authorityFile: certificate)

        let new = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        for (from, to) in [(new.certificateFile, certificate), (new.keyFile, key)] {
            try FileManager.default.removeItem(atPath: to)
            try FileManager.default.copyItem(atPath: from, toPath: to)
        }
        try await server.reloadCertificate()
        let second = try await server.connect(authorityFile: new.certificateFile)
        #expect(await connection.isOpen)
        _ = try await connection.call(Ping.self)

        try Data("nothing".utf8).write(to: URL(fileURLWithPath: key))
        await #expect(throws: TLSError.self) { try await server.reloadCertificate() }
        let third = try await server.connect(authorityFile: new.certificateFile)
        for open in [connection, second, third] {
            _ = try await open.call(Ping.self)
            await open.close()
        }
        await server.stop()
    }

    @Test("After a restart an unfinished session is offline on the map, with its route")
    func restart() async throws {
        let server = try await TestServer.start()
        let run = try await TestRun(on: server)
        let before = try await run.run(120)
        let token = try await run.connection.call(AccountDevices.self).devices.count
        #expect(token == 1)
        try await server.startAgain()

        let id = await run.id
        let guest = try await server.connect()
        let events = try await guest.subscribe(to: .session(id))
        var iterator = events.makeAsyncIterator()
        guard case .snapshot(let snapshot)? = await iterator.next() else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.runner?.state == .offline)
        #expect(snapshot.session.distance == before.session.distance)
        #expect(snapshot.route.flatMap { $0 }.count > 100)
        let zone = try #require(snapshot.runner?.zone)
        var zoneEvents = try await guest.subscribe(to: .zone(zone)).makeAsyncIterator()
        guard case .snapshot(let inZone)? = await zoneEvents.next() else {
            Issue.record("no zone snapshot")
            return
        }
        #expect(inZone.runners.map(\.session) == [id])
        #expect(inZone.runners.first?.state == .offline)
        await guest.close()
        await server.stop()
    }

    @Test("A port in use is told before anything is started, and says what to do")
    func portInUse() async throws {
        let taken = try await Shared.server
        do {
            _ = try await TestServer.start { $0.port = taken.port }
            Issue.record("two servers on one port")
        } catch let error as CampanileServer.PortInUse {
            #expect(error.description.contains("\(taken.port)"))
            #expect(error.description.contains("--port"))
        }
    }
}
