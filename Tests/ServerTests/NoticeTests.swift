import CampanileClient
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Notices on the wire")
struct NoticeTests {
    /// Somebody signed in.
    struct Person {
        let connection: CampanileConnection
        let account: Account
        let token: String

        init(_ server: TestServer, _ role: Role = .student) async throws {
            let (first, signedIn) = try await server.register()
            await first.close()
            let database = try await server.database()
            _ = try await database.query(
                "UPDATE accounts SET role = $2 WHERE id = $1",
                [.int(signedIn.account.id), .text(role.rawValue)])
            database.close()
            connection = try await server.connect(token: signedIn.token)
            (account, token) = (signedIn.account, signedIn.token)
        }

        @discardableResult
        func publish(
            _ title: String, to audience: NoticeAudience = .campus, _ level: NoticeLevel = .info
        ) async throws -> SentNotice {
            try await connection.call(
                NoticesPublish.self,
                .init(id: UUID().uuidString, audience: audience, title: title, level: level))
        }
    }

    private actor Taken {
        var titles: [String] = []
        func take(_ change: NoticeChange) {
            if case .notice(let notice, _) = change { titles.append(notice.title) } else { titles.append("-") }
        }
    }

    /// Receipts of devices; no method tells them of so few people.
    private func receipts(of notice: Int64, _ server: TestServer) async throws -> Int64? {
        let database = try await server.database()
        defer { database.close() }
        let rows = try await database.query(
            "SELECT received FROM notice_counts WHERE notice_id = $1", [.int(notice)])
        return try rows.first?.int("received")
    }

    private func refused<M: RPCMethod>(
        _ method: M.Type, _ params: M.Params, _ code: ErrorCode, on connection: CampanileConnection
    ) async {
        let error = await #expect(throws: RPCError.self) { try await connection.call(method, params) }
        #expect(error?.registered == code, "\(M.name)")
        #expect(error?.message.isEmpty == false)
    }

    @Test("A guest, a student and a lecturer who try what is not theirs are refused, and hear no more than that")
    func attackers() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let guest = try await server.connect()
        let (admin, lecturer) = (try await Person(server, .admin), try await Person(server, .lecturer))
        let (student, victim) = (try await Person(server), try await Person(server))
        let secret = try await admin.publish("for the victim alone", to: .user(victim.account.id))
        let number = secret.notice.number
        func notice(_ audience: NoticeAudience, _ level: NoticeLevel = .info) -> NoticesPublish.Params {
            .init(id: UUID().uuidString, audience: audience, title: "x", level: level)
        }
        // Whatever a guest asks for.
        let numbers = NoticeNumbers(notices: [number])
        await refused(NoticesPublish.self, notice(.campus), .unauthenticated, on: guest)
        await refused(NoticesPreview.self, .init(audience: .campus), .unauthenticated, on: guest)
        await refused(NoticesList.self, .init(), .unauthenticated, on: guest)
        await refused(NoticesSent.self, .init(), .unauthenticated, on: guest)
        await refused(NoticesStatus.self, .init(notice: number), .unauthenticated, on: guest)
        await refused(NoticesReceived.self, numbers, .unauthenticated, on: guest)
        await refused(NoticesRead.self, numbers, .unauthenticated, on: guest)
        await refused(NoticesSettings.self, Empty(), .unauthenticated, on: guest)
        await refused(NoticesSaveSettings.self, .init(), .unauthenticated, on: guest)
        let error = await #expect(throws: RPCError.self) {
            try await guest.follow(log: "notices", of: NoticeEvent.self, since: nil) { _ in }
        }
        #expect(error?.registered == .unauthenticated)
        // A student.
        for audience in [.campus, .zone(1), .role(.admin), .user(victim.account.id)] as [NoticeAudience] {
            await refused(NoticesPublish.self, notice(audience), .forbidden, on: student.connection)
            await refused(NoticesPreview.self, .init(audience: audience), .forbidden, on: student.connection)
        }
        await refused(NoticesPublish.self, notice(.event(1)), .notFound, on: student.connection)
        await refused(NoticesStatus.self, .init(notice: number), .notFound, on: student.connection)
        await refused(NoticesStatus.self, .init(notice: 999_999), .notFound, on: student.connection)
        await refused(NoticesWithdraw.self, .init(notice: number), .notFound, on: student.connection)
        await refused(
            NoticesCorrect.self, .init(notice: number, revision: 1, title: "x"), .notFound, on: student.connection)
        await refused(TopicHistory<NoticeEvent>.self, .init(topic: "notices"), .invalidParams, on: student.connection)
        // ErasureHandlers' receipts: taken, and worth nothing.
        _ = try await student.connection.call(NoticesReceived.self, numbers)
        #expect(try await student.connection.call(NoticesRead.self, numbers).unread == 0)
        #expect(try await student.connection.call(NoticesList.self, .init()).notices.isEmpty)
        let status = try await admin.connection.call(NoticesStatus.self, .init(notice: number))
        #expect(status.recipients == 1 && status.received == nil && status.read == nil)
        // A lecturer.
        await refused(NoticesPublish.self, notice(.campus, .emergency), .forbidden, on: lecturer.connection)
        await refused(NoticesPublish.self, notice(.user(victim.account.id)), .forbidden, on: lecturer.connection)
        await refused(NoticesPublish.self, notice(.zone(999_999)), .notFound, on: lecturer.connection)
        await refused(NoticesStatus.self, .init(notice: number), .notFound, on: lecturer.connection)
        #expect(try await lecturer.connection.call(NoticesSent.self, .init()).notices.isEmpty)
        // Nothing of it is said to others, on any topic.
        let page = try await guest.call(TopicHistory<NoticeEvent>.self, .init(topic: "campus/notices"))
        #expect(page.publications.isEmpty)
        #expect(try await victim.connection.call(NoticesList.self, .init()).notices.map(\.to) == [.init(kind: .user)])
        await server.stop()
    }

    @Test("What goes over the wire is what the Protocol article says: reply, push, an early one, and a withdrawal")
    func wire() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (admin, runner) = (try await Person(server, .admin), try await Person(server))
        let socket = try await RawWebSocket(port: server.port)
        try await socket.request(1, "hello", #"{"token":"\#(runner.token)"}"#)
        _ = try await socket.reply()
        try await socket.request(2, "subscribe", #"{"topic":"notices"}"#)
        let reply = try await socket.reply()
        let epoch = try #require((try reply.object()["result"] as? [String: Any])?["epoch"] as? Int64)
        #expect(
            reply.text
                == #"{"jsonrpc":"2.0","id":2,"result":{"topic":"notices","epoch":\#(epoch),"offset":0,"recovered":false,"#
                + #""publications":[]}}"#)
        let sent = try await admin.publish("One")
        let push = try await socket.next()
        #expect(
            push.text.hasPrefix(
                #"{"jsonrpc":"2.0","method":"push","params":{"topic":"notices","epoch":\#(epoch),"offset":1,"data":{"#
                    + #""type":"notice","number":\#(sent.notice.number),"revision":1,"id":"\#(sent.notice.id)","at":""#)
        )
        #expect(push.text.contains(#""to":{"kind":"campus"}"#))
        #expect(push.text.contains(#""from":{"username":"\#(admin.account.username)","role":"admin"}"#))
        let session = try await runner.connection.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString)
        ).session
        try await admin.publish("Two")
        let fire = try await admin.publish("Fire", .emergency)
        #expect(
            try await socket.next().text.hasPrefix(
                #"{"jsonrpc":"2.0","method":"push","params":{"topic":"notices","early":true,"data":{"type":"notice","number":\#(fire.notice.number),"#
            ))
        #expect(
            try await runner.connection.call(NoticesList.self, .init()).notices.map(\.title) == ["Fire", "One"])
        _ = try await runner.connection.call(TrackingStop.self, .init(session: session.id))
        #expect(try await socket.next().text.contains(#""offset":2,"data":{"type":"notice","#))
        _ = try await admin.connection.call(NoticesWithdraw.self, .init(notice: sent.notice.number))
        #expect(
            try await socket.next().text
                == #"{"jsonrpc":"2.0","method":"push","params":{"topic":"notices","epoch":\#(epoch),"offset":4,"data":{"#
                + #""type":"withdrawn","number":\#(sent.notice.number),"revision":2}}}"#)
        await server.stop()
    }

    @Test("A client of the library has each once, over a restart as well, and its receipt is counted")
    func library() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (admin, student) = (try await Person(server, .admin), try await Person(server))
        let client = ResilientClient(
            address: try ServerAddress(url: server.url), token: student.token, loops: try ClientLoops())
        await client.start()
        let taken = Taken()
        let reading = Task { for try await news in client.notices() { await taken.take(news) } }
        let one = try await admin.publish("One")
        _ = try await eventually("the first came") { await taken.titles == ["One"] ? true : nil }
        try await server.startAgain()
        let back = try await server.connect(token: admin.token)
        let two = try await back.call(
            NoticesPublish.self,
            .init(id: UUID().uuidString, audience: .role(.student), title: "Two", level: .important))
        _ = try await back.call(
            NoticesCorrect.self, .init(notice: one.notice.number, revision: 1, title: "One and a half"))
        _ = try await back.call(NoticesWithdraw.self, .init(notice: two.notice.number))
        _ = try await eventually("all came") { await taken.titles.last == "-" ? true : nil }
        let all = await taken.titles
        #expect([["One", "Two", "One and a half", "-"], ["One", "One and a half", "-"]].contains(all), "\(all)")
        _ = try await eventually("the receipt is counted") {
            try await receipts(of: one.notice.number, server) == 1 ? true : nil
        }
        reading.cancel()
        await client.close()
        await server.stop()
    }

    @Test("A revoked token ends it, and whoever signs in as somebody else on a connection gets nothing of the first")
    func endings() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (admin, student, other) = (
            try await Person(server, .admin), try await Person(server), try await Person(server)
        )
        let delivered = Mutex<[String]>([])
        let connection = try await server.connect(token: student.token)
        try await connection.follow(log: "notices", of: NoticeEvent.self, since: nil) { event in
            if case .published(_, let one) = event, case .notice(let notice) = one.data {
                delivered.withLock { $0.append(notice.title) }
            }
        }
        try await admin.publish("yours", to: .user(student.account.id))
        _ = try await eventually("it came") { delivered.withLock { $0.isEmpty } ? nil : true }
        _ = try await connection.call(Hello.self, .init(token: other.token))
        try await admin.publish("not yours", to: .user(student.account.id))
        _ = try await connection.call(Ping.self, Empty())
        #expect(delivered.withLock { $0 } == ["yours"])
        let second = try await server.connect(token: other.token)
        _ = try await second.call(AccountLogoutEverywhere.self, Empty())
        _ = try await eventually("nobody listens") {
            await server.server?.environment.services.hub.notices.accounts.isEmpty == true ? true : nil
        }
        await server.stop()
    }
}
