import Campus
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

/// A server with one person and everybody who may want to learn something about that person.
///
/// Two worlds are made by the same steps with the same names, so that all numbers are the same. What differs in them afterwards is a
/// secret of the person; an attacker who gets other answers in one than in the other has learned it.
final class TwinWorld: Sendable {
    let server: TestServer
    /// The person whom the attackers ask about.
    let vera: ChatPerson
    /// A buddy of the person who attacks nobody.
    let theo: ChatPerson
    let attackers: [TwinAttacker]
    let host: ChatPerson
    let stranger: ChatPerson
    let target: TwinTarget
    private let privateConversation: Int64
    /// The person's open app; nil while it is closed.
    let app = Held<ChatClient?>(nil)

    init() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        await server.server?.waitForSearch()
        self.server = server
        vera = try await ChatPerson(server, named: "vera")
        try await vera.introduce("Sommer")
        theo = try await ChatPerson(server, named: "theo")
        try await theo.introduce("Winter")
        let buddy = try await ChatPerson(server, named: "bodo")
        try await buddy.introduce("Herbst")
        let groupmate = try await ChatPerson(server, named: "gustav")
        host = try await ChatPerson(server, named: "hanna")
        stranger = try await ChatPerson(server, named: "stan")
        let lecturer = try await ChatPerson(server, named: "lena", role: .lecturer)
        let admin = try await ChatPerson(server, named: "adam", role: .admin)

        privateConversation = try await vera.match(theo)
        let conversation = try await vera.match(buddy)
        let group = try await vera.makeGroup("Runners", with: [])
        let events = try await Self.events(of: host, lecturer)
        let database = try await server.database()
        _ = try await database.query(
            """
            INSERT INTO members (conversation_id, account_id, role, state, since) VALUES ($1, $2, 'member', 'joined', now())
            """, [.int(group), .int(groupmate.id)])
        _ = try await database.query(
            "INSERT INTO event_people (event_id, account_id, invited_at, invited_by) VALUES ($1, $2, now(), $3)",
            [.int(events[0]), .int(vera.id), .int(host.id)])
        database.close()
        _ = try await vera.client.call(EventsAnswer.self, .init(event: events[0], answer: .going))
        try await vera.send("see you", in: conversation)
        // Receipts are off from the beginning: nobody may learn what was read.
        _ = try await vera.client.call(ChatSettingsSave.self, .init(read: false, delivered: false, typing: false))
        let zone = try #require(await server.server).environment.services.campus.snapshot.zones.zones.map(\.id).min()
        target = TwinTarget(
            account: vera.id, username: "vera", group: group, conversation: conversation, session: 1, events: events,
            notices: Array(1...3), shares: Array(1...3), zone: try #require(zone))
        var attackers: [TwinAttacker] = []
        let people: [(Relation, ChatPerson?)] = [
            (.guest, nil), (.stranger, stranger), (.buddy, buddy), (.groupmate, groupmate), (.host, host),
            (.lecturer, lecturer), (.admin, admin),
        ]
        for (relation, person) in people { attackers.append(try await TwinAttacker(relation, server, person)) }
        self.attackers = attackers
        vera.client.close()
        try await open()
        for attacker in attackers { _ = try await attacker.subscribe(target) }
    }

    /// A private event to which the person is invited, and a public one.
    private static func events(of host: ChatPerson, _ lecturer: ChatPerson) async throws -> [Int64] {
        var events: [Int64] = []
        for (index, audience) in [EventAudience.private, .public].enumerated() {
            let event = try await host.client.call(
                EventsCreate.self,
                .init(
                    id: "00000000-0000-4000-8000-00000000000\(index)", audience: audience,
                    details: EventDetails(
                        title: "Tempo run \(index)", startsAt: Timestamp.now.advanced(bySeconds: 86_400),
                        duration: 3_600, place: EventPlace(name: "Gate")), publish: true))
            events.append(event.id)
        }
        return events
    }

    // MARK: The person

    /// Opens the person's app: it follows its topics, as the web app does.
    func open() async throws {
        let client = try await ChatClient(server, token: vera.token)
        for topic in ["user/\(vera.id)", "notices", "chat/\(target.conversation)", "chat/\(target.group)"] {
            _ = try await client.ask("subscribe", "{\"topic\":\"\(topic)\"}")
        }
        app.value = client
    }

    /// Closes it, and waits until the server has seen that.
    func close() async throws {
        let before = try await connections()
        app.value?.close()
        app.value = nil
        // The server has nobody else who could come or go.
        _ = try await eventually("the connection is gone") {
            try await self.connections() < before ? true : nil
        }
    }

    private func connections() async throws -> Int {
        let admin = try #require(attackers.last)
        let answer = try await admin.ask("admin.figures", "{}")
        let figure = try #require(answer.firstMatch(of: /"connections":(\d+)/))
        return try #require(Int(figure.1))
    }

    /// Asks something as the person, by the app, or by a connection that is closed behind it.
    @discardableResult
    func call<M: RPCMethod>(_ method: M.Type, _ params: M.Params) async throws -> M.Result {
        if let client = app.value { return try await client.call(method, params) }
        let client = try await ChatClient(server, token: vera.token)
        defer { client.close() }
        return try await client.call(method, params)
    }

    /// The app acknowledges all that it was sent, and when `reads` is set, the person reads it.
    func acknowledge(reads: Bool) async throws {
        guard let client = app.value else { return }
        _ = try await client.ask("ping")
        let notices = Set(client.frames.flatMap { $0.matches(of: /"number":(\d+)/).compactMap { Int64($0.1) } })
        guard !notices.isEmpty else { return }
        let list = "{\"notices\":\(notices.sorted())}"
        _ = try await client.ask("notices.received", list)
        if reads { _ = try await client.ask("notices.read", list) }
    }

    /// Starts a private run, with points from a place on.
    func run(east: Double, north: Double) async throws -> Int64 {
        let started = try await call(
            TrackingStart.self,
            .init(activity: .run, clientId: UUID().uuidString, audience: .private))
        var points: [TrackPoint] = []
        for index in 0..<20 {
            let place = SampleCampus.origin.offset(eastMetres: east + Double(index) * 3, northMetres: north)
            points.append(
                TrackPoint(
                    seq: Int64(index) + 1, lat: place.latitude, lon: place.longitude,
                    time: Timestamp.now.advanced(bySeconds: Double(index - 20)), accuracy: 5))
        }
        _ = try await call(TrackingPoints.self, .init(session: started.session.id, points: points))
        return started.session.id
    }

    func privateMessage(_ text: String) async throws {
        _ = try await call(
            ChatSend.self, .init(conversation: privateConversation, id: UUID().uuidString, text: text))
    }

    // MARK: The attack

    /// Everything that the attackers get: they ask all there is, publish notices, ask again when the person's app has acknowledged them.
    func sweep(reads: Bool) async throws -> [Relation: Set<Disclosure>] {
        var found: [Relation: Set<Disclosure>] = [:]
        let database = try await server.database()
        _ = try await database.query("UPDATE notices SET created_at = created_at - interval '25 hours'")
        database.close()
        for attacker in attackers {
            found[attacker.relation] = Set(try await attacker.askDirected(Self.directed(attacker.relation, target)))
        }
        try await acknowledge(reads: reads)
        for attacker in attackers {
            found[attacker.relation, default: []].formUnion(try await attacker.askAll(target))
        }
        for attacker in attackers { try await attacker.settle() }
        return found
    }

    func pushes() throws -> [Relation: Set<Disclosure>] {
        try Dictionary(uniqueKeysWithValues: attackers.map { ($0.relation, try $0.pushes()) })
    }

    private static func directed(_ relation: Relation, _ target: TwinTarget) -> [(method: String, params: String)] {
        let audiences: [String] =
            switch relation {
            case .host: target.events.map { #"{"kind":"event","event":\#($0)}"# }
            case .lecturer, .admin:
                [#"{"kind":"zone","zone":\#(target.zone)}"#, #"{"kind":"user","account":\#(target.account)}"#]
            default: []
            }
        return audiences.flatMap { audience -> [(method: String, params: String)] in
            let id = UUID().uuidString
            return [
                ("notices.preview", "{\"audience\":\(audience)}"),
                ("notices.publish", "{\"id\":\"\(id)\",\"audience\":\(audience),\"title\":\"Gate closed\"}"),
            ]
        }
    }

    func stop() async {
        for attacker in attackers { attacker.close() }
        await server.stop()
    }
}

/// A value that several tasks may replace, one after the other.
final class Held<Value: Sendable>: Sendable {
    private let kept: Mutex<Value>
    init(_ value: Value) { kept = Mutex(value) }
    var value: Value {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}

extension ChatPerson {
    /// Registers somebody by a name that is the same in two worlds.
    init(_ server: TestServer, named name: String, role: Role = .student) async throws {
        let (connection, signedIn) = try await server.register(name)
        await connection.close()
        if role != .student {
            let database = try await server.database()
            defer { database.close() }
            _ = try await database.query(
                "UPDATE accounts SET role = $2 WHERE id = $1", [.int(signedIn.account.id), .text(role.rawValue)])
        }
        client = try await ChatClient(server, token: signedIn.token)
        (token, id, username) = (signedIn.token, signedIn.account.id, signedIn.account.username)
    }
}

extension TwinWorld {
    /// A stranger shares with the person, who was not asked.
    func strangerShares() async throws {
        _ = try await stranger.client.call(
            LocationReport.self, .init(lat: 41.7365, lon: 12.25, accuracy: 5, source: .gps))
        _ = try await stranger.client.call(
            SharingStart.self,
            .init(
                clientId: UUID().uuidString, audience: .person, username: "vera", precision: .campus, expiresIn: 3_600))
    }

    /// The person shares with a buddy, who has it open, and is in a private zone.
    func shareFromHome() async throws {
        try await call(
            PrivacySaveZone.self, .init(clientId: UUID().uuidString, name: "Den", lat: 41.9, lon: 12.25, size: .small))
        try await call(LocationReport.self, .init(lat: 41.9, lon: 12.25, accuracy: 5, source: .gps))
        try await call(
            SharingStart.self,
            .init(
                clientId: UUID().uuidString, audience: .person, username: "bodo", precision: .exact, expiresIn: 3_600))
        for attacker in attackers { _ = try await attacker.ask("subscribe", #"{"topic":"share/2"}"#) }
    }

    /// Opens a share as the person's map does.
    func watch(_ share: Int64) async throws -> String { try await app.value?.watch(share: share) ?? "" }
}
