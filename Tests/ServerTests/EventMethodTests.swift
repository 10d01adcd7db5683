import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

/// How somebody stands to an event that is none of their business.
private enum EventOutsider: String, CaseIterable {
    case guest, stranger, blocked, lecturer, admin
}

/// What is tried; `$E` is the event, `$V` who made it, `$U` a new id, `$T` a time to come.
private struct EventOutlet {
    let name: String
    let params: String

    private static let details = #"{"title":"x","startsAt":"$T","duration":3600,"place":{"name":"x"}}"#

    static let all = [
        EventOutlet(name: "events.get", params: #"{"event":$E}"#),
        EventOutlet(name: "events.list", params: #"{"text":"secretwords"}"#),
        EventOutlet(
            name: "events.list", params: #"{"which":"all","near":{"lat":0.001,"lon":0.001,"metres":5000},"limit":50}"#),
        EventOutlet(name: "events.list", params: #"{"which":"coming"}"#),
        EventOutlet(name: "events.list", params: #"{"which":"invited"}"#),
        EventOutlet(name: "events.list", params: #"{"which":"saved"}"#),
        EventOutlet(name: "events.list", params: #"{"which":"own"}"#),
        EventOutlet(name: "events.suggested", params: "{}"),
        EventOutlet(name: "events.people", params: #"{"event":$E}"#),
        EventOutlet(name: "events.answer", params: #"{"event":$E,"answer":"going"}"#),
        EventOutlet(name: "events.answer", params: #"{"event":$E}"#),
        EventOutlet(name: "events.save", params: #"{"event":$E,"saved":true}"#),
        EventOutlet(name: "events.publish", params: #"{"event":$E}"#),
        EventOutlet(name: "events.update", params: #"{"event":$E,"revision":0,"details":\#(details)}"#),
        EventOutlet(name: "events.cancel", params: #"{"event":$E,"reason":"x"}"#),
        EventOutlet(name: "events.delete", params: #"{"event":$E}"#),
        EventOutlet(name: "events.invite", params: #"{"event":$E,"accounts":[$V]}"#),
        EventOutlet(name: "events.invite", params: #"{"event":$E,"groups":[1]}"#),
        EventOutlet(
            name: "safety.report", params: #"{"id":"$U","account":$V,"reason":"spam","event":$E}"#),
        EventOutlet(name: "GET", params: "/events/$E.ics"),
        EventOutlet(name: "GET", params: "/calendar/$E.ics"),
        EventOutlet(name: "events.options", params: "{}"),
        EventOutlet(
            name: "events.create", params: #"{"id":"$U","audience":"campus","publish":false,"details":\#(details)}"#),
        EventOutlet(
            name: "events.create", params: #"{"id":"$U","audience":"private","publish":false,"details":\#(details)}"#),
        EventOutlet(name: "events.calendar", params: "{}"),
        EventOutlet(name: "events.calendarOff", params: "{}"),
    ]

    var title: String {
        let short = [(#""id":"$U","#, ""), (Self.details, "…")].reduce(params) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
        return "`\(name) \(short)`"
    }

    func ask(
        _ event: Int64, of account: Int64, as client: ChatClient, token: String?, _ server: TestServer
    ) async throws -> String {
        let tomorrow = Timestamp.now.advanced(bySeconds: 86_400)
        let text = [
            "$E": "\(event)", "$V": "\(account)", "$U": UUID().uuidString, "$T": tomorrow.description,
        ].reduce(params) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
        guard name == "GET" else { return try await client.ask(name, text) }
        let answer = try await server.get(text, token)
        var headers = answer.headers
        headers["date"] = nil
        let body = answer.status == 200 ? answer.text : try ChatClient.sorted(answer.text)
        return "\(answer.status) \(headers.sorted { $0.key < $1.key }) \(body)"
    }
}

extension TestServer {
    fileprivate nonisolated func get(
        _ path: String, _ token: String? = nil, more: String = "", method: String = "GET"
    ) async throws -> RawResponse {
        let socket = try RawSocket(port: port)
        defer { socket.close() }
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try await socket.send("\(method) \(path) HTTP/1.1\r\nHost: campus.example\r\n\(authorization)\(more)\r\n")
        return try await socket.response(headOnly: method == "HEAD")
    }

    /// A person of a role, connected since.
    fileprivate nonisolated func person(_ role: Role, lastName: String? = nil) async throws -> (ChatPerson, ChatClient)
    {
        let person = try await ChatPerson(self, lastName: lastName)
        let database = try await database()
        _ = try await database.query(
            "UPDATE accounts SET role = $2 WHERE id = $1", [.int(person.id), .text(role.rawValue)])
        database.close()
        return (person, try await ChatClient(self, token: person.token))
    }
}

@Suite("Events over the wire, tried as an attacker would")
struct EventMethodTests {
    private static func details(_ title: String) -> EventDetails {
        EventDetails(
            title: title, description: "secretwords", workout: "running",
            startsAt: Timestamp.now.advanced(bySeconds: 7_200),
            duration: 3_600, place: EventPlace(name: "Hiddenplace", lat: 0.001, lon: 0.001))
    }

    private static func verdict(_ answer: String, _ absent: String) -> String {
        let isSame = answer == absent
        if let status = Int(answer.prefix(3)) {
            return status == 200 ? "**shown**" : isSame ? "= \(status)" : "\(status)"
        }
        guard let range = answer.range(of: #""code":(-?[0-9]+)"#, options: .regularExpression) else {
            return isSame ? "nothing" : "own view"
        }
        return "\(isSame ? "= " : "")\(answer[range].dropFirst(7))"
    }

    /// Vera with a buddy who comes, and all who are not to know of it.
    @Test("Everybody who is not to know of a private event, at every method: what is answered when it does not exist")
    func outsiders() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (vera, friend) = (try await ChatPerson(server, lastName: "V"), try await ChatPerson(server, lastName: "F"))
        try await vera.match(friend)
        var people: [EventOutsider: (person: ChatPerson, client: ChatClient)] = [:]
        for (outsider, role) in [
            (.stranger, .student), (.blocked, .student), (.lecturer, .lecturer), (.admin, .admin),
        ] as [(EventOutsider, Role)] {
            people[outsider] = try await server.person(role, lastName: outsider == .blocked ? "B" : nil)
        }
        let blocked = try #require(people[.blocked]).person
        try await vera.match(blocked)
        let event = try await vera.client.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .private, details: Self.details("secretwords"), publish: true))
        _ = try await vera.client.call(
            EventsInvite.self, .init(event: event.id, accounts: [friend.id, blocked.id]))
        for who in [friend, blocked] {
            _ = try await who.client.call(EventsAnswer.self, .init(event: event.id, answer: .going))
        }
        _ = try await vera.client.call(SafetyBlock.self, .init(account: blocked.id))
        let before = try await vera.client.ask("events.get", #"{"event":\#(event.id)}"#)
        #expect(before.contains(#""going":2"#), "Vera and her buddy")

        let guest = try await ChatClient(server)
        var rows = Array(repeating: [String](), count: EventOutlet.all.count)
        for outsider in EventOutsider.allCases {
            let (client, token) = people[outsider].map { ($0.client, $0.person.token) } ?? (guest, nil)
            for (index, outlet) in EventOutlet.all.enumerated() {
                let answer = try await outlet.ask(event.id, of: vera.id, as: client, token: token, server)
                let absent = try await outlet.ask(987_654_321, of: vera.id, as: client, token: token, server)
                let what = "\(outlet.title) by \(outsider.rawValue): \(answer.prefix(400)) / \(absent.prefix(400))"
                for secret in ["secretwords", "Hiddenplace"] { #expect(!answer.contains(secret), "\(what)") }
                if outlet.params.contains("$E") { #expect(answer == absent, "\(what)") }
                rows[index].append(Self.verdict(answer, absent))
            }
            #expect(try await vera.client.ask("events.get", #"{"event":\#(event.id)}"#) == before, "\(outsider)")
        }
        // Nothing was pushed to anybody, either.
        _ = try await vera.client.call(EventsCancel.self, .init(event: event.id))
        for (_, one) in people {
            _ = try await one.client.ask("ping")
            #expect(!one.client.frames.joined().contains("cancelled"))
        }
        var lines = ["| attempt | " + EventOutsider.allCases.map(\.rawValue).joined(separator: " | ") + " |"]
        lines.append("|" + String(repeating: "---|", count: EventOutsider.allCases.count + 1))
        for (outlet, row) in zip(EventOutlet.all, rows) {
            lines.append("| \(outlet.title) | \(row.joined(separator: " | ")) |")
        }
        let model = TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc/ThreatModel.md")
        let table = lines.joined(separator: "\n")
        #expect(try String(contentsOf: model, encoding: .utf8).contains(table), "the table should be:\n\(table)")
        // No method was forgotten.
        let path = "Sources/campanile/Documentation.docc/ProtocolMethods.md"
        let protocolText = try String(contentsOf: TestServer.root.appendingPathComponent(path), encoding: .utf8)
        let methods = Set(protocolText.matches(of: /\| `(events\.[a-zA-Z]+)` \|/).map { String($0.1) })
        #expect(methods.subtracting(["events.list"]).isSubset(of: EventOutlet.all.map(\.name)) && methods.count > 12)
        await server.stop()
    }

    @Test("What is open is everybody's who may see it, and who is blocked finds nothing of it under any number")
    func open() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let vera = try await ChatPerson(server, lastName: "V")
        let (blocked, stranger) = (try await ChatPerson(server, lastName: "B"), try await ChatPerson(server))
        let event = try await vera.client.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .public, details: Self.details("secretwords"), publish: true))
        _ = try await vera.client.call(SafetyBlock.self, .init(account: blocked.id))
        for outlet in EventOutlet.all where outlet.params.contains("$E") {
            for (client, token) in [(blocked.client, blocked.token as String?), (try await ChatClient(server), nil)] {
                let answer = try await outlet.ask(event.id, of: vera.id, as: client, token: token, server)
                let absent = try await outlet.ask(987_654_321, of: vera.id, as: client, token: token, server)
                #expect(answer == absent, "\(outlet.title)")
            }
        }
        #expect(try await stranger.client.ask("events.list").contains("secretwords"))
        #expect(try await !blocked.client.ask("events.list").contains("secretwords"))
        #expect(try await !ChatClient(server).ask("events.list").contains("secretwords"))
        #expect(try await server.get("/events/\(event.id).ics", stranger.token).status == 200)
        for method in ["events.update", "events.cancel", "events.delete", "events.invite", "events.publish"] {
            let outlet = try #require(EventOutlet.all.first { $0.name == method })
            let answer = try await outlet.ask(
                event.id, of: vera.id, as: stranger.client, token: stranger.token, server)
            #expect(answer.contains("\"code\":1002"), "\(answer)")
        }
        await server.stop()
    }

    @Test(
        "A campus event's file is everybody's, and has a tag; one's own calendar follows its token, block and off at once"
    )
    func files() async throws {
        let server = try await TestServer.start()
        let (_, announcer) = try await server.person(.lecturer)
        let (ben, dora) = (try await ChatPerson(server), try await ChatPerson(server))
        var made: [Int64] = []
        for (client, audience) in [(announcer, EventAudience.campus), (dora.client, .public)] {
            let event = try await client.call(
                EventsCreate.self,
                .init(id: UUID().uuidString, audience: audience, details: Self.details("\(audience)"), publish: true))
            _ = try await ben.client.call(EventsAnswer.self, .init(event: event.id, answer: .going))
            made.append(event.id)
        }
        let file = try await server.get("/events/\(made[0]).ics")
        #expect(file.status == 200 && file.headers["content-type"] == "text/calendar; charset=utf-8")
        #expect(file.headers["cache-control"] == "private, no-cache" && file.headers["vary"] == "Authorization")
        #expect(file.headers["content-disposition"] == "attachment; filename=\"event-\(made[0]).ics\"")
        let entry = try #require(try CalendarReader.read(file.body).events.first)
        #expect(entry.summary == "campus" && entry.url == "http://campus.example/events/\(made[0])")
        let tag = try #require(file.headers["etag"])
        #expect(try await server.get("/events/\(made[0]).ics", more: "If-None-Match: \(tag)\r\n").status == 304)
        let head = try await server.get("/events/\(made[0]).ics", method: "HEAD")
        #expect(head.status == 200 && head.headers["content-length"] == "\(file.body.count)" && head.body.isEmpty)
        #expect(try await server.get("/events/\(made[0]).ics", method: "POST").status == 405)
        #expect(try await server.get("/events/\(made[0]).ics", "wrong").status == 401)
        for path in ["0\(made[0])", "+\(made[0])", "x", "", "99999999999999999999", "\(made[1])", "1/2"] {
            #expect(try await server.get("/events/\(path).ics").status == 404, "\(path)")
        }

        let path = try #require(try await ben.client.call(EventsCalendar.self, .init()).path)
        func titles() async throws -> [String] {
            let answer = try await server.get(path)
            #expect(answer.status == 200)
            return try CalendarReader.read(answer.body).events.map(\.summary).sorted()
        }
        #expect(try await titles() == ["campus", "public"])
        let feedTag = try #require(try await server.get(path).headers["etag"])
        #expect(try await server.get(path, more: "If-None-Match: \(feedTag)\r\n").status == 304)
        _ = try await dora.client.call(SafetyBlock.self, .init(account: ben.id))
        #expect(try await titles() == ["campus"])
        #expect(try await server.get(path, more: "If-None-Match: \(feedTag)\r\n").status == 200)
        #expect(try await ben.client.call(EventsCalendar.self, .init(make: false)).since != nil)
        #expect(try await ben.client.call(EventsCalendarOff.self, Empty()).wasOn)
        let after = try await ben.client.call(EventsCalendar.self, .init(make: false))
        #expect(after.path == nil && after.since == nil)
        #expect(try await server.get(path, more: "If-None-Match: *\r\n").status == 404)
        await server.stop()
    }

    @Test(
        "Tokens of calendars cannot be guessed without end: wrong ones of an address wait after too many, right ones pass"
    )
    func guessing() async throws {
        let server = try await TestServer.start {
            $0.rateLimits[.token] = Rate(perSecond: 0.001, burst: 3)
            $0.allowedOrigins = ["https://campus.example"]
        }
        let ben = try await ChatPerson(server)
        let path = try #require(try await ben.client.call(EventsCalendar.self, .init()).path)
        _ = try await ben.client.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .private, details: Self.details("own"), publish: true))
        let entries = try CalendarReader.read(try await server.get(path).body).events
        // The proxy in front of the server speaks TLS.
        #expect(entries.map { $0.url.prefix(23) } == ["https://campus.example/"])
        for _ in 0..<5 { #expect(try await server.get(path).status == 200, "right ones are no guesses") }
        for _ in 0..<3 { #expect(try await server.get("/calendar/\(UUID().uuidString).ics").status == 404) }
        let refused = try await server.get("/calendar/\(UUID().uuidString).ics")
        #expect(refused.status == 429 && refused.headers["retry-after"] != nil)
        #expect(try await server.get(path).status == 200)
        await server.stop()
    }

    @Test("Whoever moves up by a block or a deleted account is told by a server that runs, without anybody asking")
    func drained() async throws {
        let server = try await TestServer.start()
        let vera = try await ChatPerson(server)
        let (ben, cleo, dora) = (
            try await ChatPerson(server), try await ChatPerson(server), try await ChatPerson(server)
        )
        var details = Self.details("small")
        // Vera has a place herself.
        details.capacity = 2
        let event = try await vera.client.call(
            EventsCreate.self, .init(id: UUID().uuidString, audience: .public, details: details, publish: true))
        for who in [ben, cleo, dora] {
            _ = try await who.client.ask("subscribe", #"{"topic":"user/\#(who.id)"}"#)
            _ = try await who.client.call(EventsAnswer.self, .init(event: event.id, answer: .going))
        }
        _ = try await vera.client.call(SafetyBlock.self, .init(account: ben.id))
        _ = try await eventually("cleo hears") { cleo.client.frames.contains { $0.contains("movedUp") } ? true : nil }
        let database = try await server.database()
        _ = try await database.query("DELETE FROM accounts WHERE id = $1", [.int(cleo.id)])
        _ = try await eventually("dora hears") { dora.client.frames.contains { $0.contains("movedUp") } ? true : nil }
        #expect(dora.client.frames.count { $0.contains("movedUp") } == 1)
        database.close()
        await server.stop()
    }

    @Test(
        "Whoever comes to an event of an account that an admin deletes hears that it is cancelled, and that its notices are withdrawn, without anybody asking"
    )
    func ownerDeleted() async throws {
        let server = try await TestServer.start()
        let admin = try await Official(server, .admin)
        let (owner, guest) = (try await Official(server, .student), try await ChatPerson(server))
        let event = try await owner.client.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .public, details: Self.details("Mine"), publish: true))
        _ = try await guest.client.call(EventsAnswer.self, .init(event: event.id, answer: .going))
        for topic in ["user/\(guest.id)", "notices"] {
            _ = try await guest.client.ask("subscribe", #"{"topic":"\#(topic)"}"#)
        }
        _ = try await owner.client.call(
            NoticesPublish.self, .init(id: UUID().uuidString, audience: .event(event.id), title: "Bring a light"))
        func receives(_ words: String) async throws {
            _ = try await eventually("\(words) is heard") {
                guest.client.frames.contains { $0.contains(words) } ? true : nil
            }
        }
        try await receives("Bring a light")
        _ = try await admin.client.call(
            AdminDeleteUser.self,
            .init(account: owner.id, username: owner.username, password: TestServer.password))
        try await receives(#""withdrawn""#)
        try await receives(#""cancelled""#)
        let seen = try await guest.client.call(EventsGet.self, .init(event: event.id))
        #expect(seen.state == .cancelled && seen.owner == nil && seen.mine.answer == .going)
        await server.stop()
    }
}
