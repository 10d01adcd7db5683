import Campus
import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

@Suite("Files of what is kept of somebody")
struct ExportTests {
    private func request(_ path: String, _ token: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    private func get(_ path: String, _ token: String, from server: TestServer) async throws -> RawResponse {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        try await socket.send(request(path, token))
        return try await socket.response()
    }

    /// All files, as each names the next.
    private func files(_ path: String, _ token: String, from server: TestServer) async throws -> [[UInt8]] {
        var files: [[UInt8]] = []
        var next: String? = path
        while let path = next, files.count < 20 {
            let response = try await server.personalData(path, of: token)
            #expect(response.status == 200, "\(path)")
            files.append(response.body)
            next = response.headers["link"].flatMap { $0.split(separator: "<").last?.split(separator: ">").first }
                .map { String($0) }
        }
        return files
    }

    /// Messages of so many bytes each, in a group of one's own.
    private func write(_ sizes: [Int], by person: ChatPerson, _ server: TestServer) async throws {
        let group = try await person.makeGroup("Long", with: [])
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            """
            INSERT INTO chat_log (conversation_id, at_offset, kind, author_id, at, client_id, body)
            SELECT $1, 1000 + n, 'message', $2, now(), gen_random_uuid(), n || ' ' || repeat('x', size::integer)
            FROM unnest($3::bigint[]) WITH ORDINALITY AS s (size, n)
            """, [.int(group), .int(person.id), .intArray(sizes.map { Int64($0) })])
    }

    @Test(
        "What does not fit one file of JSON is in the next ones, each thing once; what no file holds is named by its size"
    )
    func pages() async throws {
        let server = try await Shared.server
        let person = try await ChatPerson(server)
        let five = 5 << 20
        try await write([five, five, five, five, 17 << 20, five, 3], by: person, server)
        let files = try await files("/account/data.json", person.token, from: server)
        #expect(files.count == 2)
        var messages: [[String: Any]] = []
        var names: [String] = []
        for file in files {
            #expect(file.count < PersonalData.exportBytesMax + 100_000)
            let kinds = try #require(
                (try JSONSerialization.jsonObject(with: Data(file)) as? [String: Any])?["kinds"]
                    as? [String: [[String: Any]]])
            messages += kinds["messages"] ?? []
            names += kinds.keys
        }
        let texts = messages.map { ($0["body"] as? String)?.prefix(2) ?? ($0["leftOut"] as? String)?.suffix(5) ?? "" }
        #expect(texts == ["1 ", "2 ", "3 ", "4 ", "bytes", "6 ", "7 "])
        #expect(Set(names) == Set(PersonalDataKind.all.map(\.name)) && names.count == PersonalDataKind.all.count + 1)
        for after in ["nothing.1", "messages", "messages.-1", "messages.x"] {
            #expect(try await server.personalData("/account/data.json?after=\(after)", of: person.token).status == 400)
        }
    }

    @Test(
        "A session that is longer than a GPX file goes on in the next, and every point comes once, with all that was measured"
    )
    func tracks() async throws {
        let server = try await Shared.server
        let person = try await ChatPerson(server)
        let database = try await server.database()
        defer { database.close() }
        let counts = [3, 60_000, 5]
        for count in counts {
            _ = try await database.query(
                """
                WITH made AS (INSERT INTO sessions (account_id, client_id, activity, title, simulated, started_at)
                    VALUES ($1, gen_random_uuid(), 'run', 'Far & away', false, now()) RETURNING id)
                INSERT INTO points (session_id, seq, at, lat, lon, accuracy, altitude, speed, heading, distance, moving)
                SELECT id, n, now(), 51.5, n / 1000000.0, 4.5, 100, 2.5, 90, 0, 0 FROM made, generate_series(1, $2) n
                """, [.int(person.id), .int(Int64(count))])
        }
        let files = try await files("/account/tracks.gpx", person.token, from: server)
        let tracks = try files.map { try GPXTrack.read(Data($0)) }
        #expect(tracks.map { $0.map { $0.segments.flatMap(\.self).count } } == [[3, 49_997], [10_003, 5]])
        #expect(tracks.allSatisfy { $0.allSatisfy { $0.name == "Far & away" } })
        let first = String(decoding: files[0].prefix(1_000), as: UTF8.self)
        #expect(
            first.contains(
                "<extensions><c:accuracy>4.5</c:accuracy><c:speed>2.5</c:speed><c:heading>90</c:heading></extensions>"))
    }

    @Test(
        "Two files are made and sent at a time, and one of an account: others are asked to come back, and get theirs when one was read or its reader is gone"
    )
    func room() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        var people: [ChatPerson] = []
        for _ in 0..<3 { people.append(try await ChatPerson(server)) }
        var readers: [RawSocket] = []
        for person in people.prefix(2) {
            try await write([12 << 20], by: person, server)
            let socket = try RawSocket(port: server.port, isSlow: true)
            try await socket.send(request("/account/data.json", person.token))
            // The answer has begun; the rest of it waits for its reader.
            try await socket.readMore()
            readers.append(socket)
        }
        let same = try await get("/account/tracks.gpx", people[0].token, from: server)
        #expect(same.status == 429 && same.headers["retry-after"] == "10")
        let third = try await get("/account/data.json", people[2].token, from: server)
        #expect(third.status == 503 && third.headers["retry-after"] == "10")
        #expect(third.text.contains("ask again in a few seconds"))
        readers[0].close()
        _ = try await eventually("there is room") {
            try await self.get("/account/data.json", people[2].token, from: server).status == 200 ? true : nil
        }
        #expect(try await readers[1].response().status == 200)
        _ = try await eventually("what was read needs no room") {
            try await self.get("/account/data.json", people[1].token, from: server).status == 200 ? true : nil
        }
        await server.stop()
    }

    @Test("An account gets ten files at once and is then told to wait, whatever else it may ask")
    func rate() async throws {
        let server = try await TestServer.start { $0.rateLimits[.list] = Rate(perSecond: 0.001, burst: 1) }
        let person = try await ChatPerson(server)
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        for _ in 0..<10 {
            try await socket.send(request("/account/tracks.gpx", person.token))
            #expect(try await socket.response().status == 200)
        }
        try await socket.send(request("/account/data.json", person.token))
        #expect(try await socket.response().status == 429)
        // To count all of it is limited as lists are.
        _ = try await person.client.call(AccountData.self, Empty())
        #expect(try await person.client.refusal(AccountData.self, Empty())?.code == 1005)
        await server.stop()
    }

    @Test("A group's name is told while one is in it: what others call it afterwards is not one's own")
    func groupNames() async throws {
        let server = try await Shared.server
        let (person, friend) = (
            try await ChatPerson(server, lastName: "A"), try await ChatPerson(server, lastName: "B")
        )
        try await friend.match(person)
        let group = try await friend.makeGroup("Before", with: [person])
        try await person.join(group)
        #expect(try await server.personalData("/account/data.json", of: person.token).text.contains("Before"))
        _ = try await friend.client.call(GroupRemove.self, .init(conversation: group, account: person.id))
        _ = try await friend.client.call(GroupRename.self, .init(conversation: group, name: "Afterwards"))
        let text = try await server.personalData("/account/data.json", of: person.token).text
        #expect(text.contains("\"kind\":\"group\"") && !text.contains("Afterwards") && !text.contains("Before"))
    }

    @Test("The file has no words of a notice that was withdrawn, nor of messages that were deleted long ago")
    func takenBack() async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        let (person, friend) = (
            try await ChatPerson(server, lastName: "A"), try await ChatPerson(server, lastName: "B")
        )
        func publish(_ title: String) async throws -> SentNotice {
            try await admin.client.call(
                NoticesPublish.self, .init(id: UUID().uuidString, audience: .user(person.id), title: title, body: title)
            )
        }
        let (kept, mistake) = (try await publish("Meant for you"), try await publish("Meant for others"))
        _ = try await admin.client.call(NoticesWithdraw.self, .init(notice: mistake.notice.number))
        let conversation = try await friend.match(person)
        var messages: [Int64] = []
        for text in ["Deleted now", "Deleted long ago"] {
            let message = try await person.send(text, in: conversation)
            _ = try await person.client.call(ChatDelete.self, .init(conversation: conversation, message: message))
            messages.append(message)
        }
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            "UPDATE retracted SET at = now() - interval '15 days' WHERE conversation_id = $1 AND at_offset = $2",
            [.int(conversation), .int(messages[1])])
        let text = try await server.personalData("/account/data.json", of: person.token).text
        #expect(text.contains("Meant for you") && text.contains("\(kept.notice.number)"))
        #expect(!text.contains("Meant for others"))
        #expect(text.contains("Deleted now") && !text.contains("Deleted long ago"))
    }
}
