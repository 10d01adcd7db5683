import APIDescription
import Foundation
import Synchronization
import TestSupport
import Wire

@testable import Hub
@testable import Server

/// One answer or push that an attacker got.
struct Disclosure: Sendable, Hashable {
    /// The method, the kind of topic or the path.
    let outlet: String
    /// Without times, tokens and other values that differ between two servers by chance.
    let text: String

    init(_ outlet: String, _ text: String) {
        self.outlet = outlet
        self.text = Self.normalised(text)
    }

    // Immutable, and used for reading only. Kept, because compiling them for each answer took a sixth of the processor time of all tests.
    private nonisolated(unsafe) static let time = /20\d\d-\d\d-\d\dT[0-9:.]+(Z|\+00:00)/
    private nonisolated(unsafe) static let uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
    private nonisolated(unsafe) static let token = /[A-Za-z0-9_-]{43,}/
    private nonisolated(unsafe) static let varying =
        /"(epoch|retryAfter|reference|etag|open)":("[^"]*"|[0-9.]+|true|false)/

    /// What was normalised before: most answers are one of a few.
    private static let known = Mutex<[String: String]>([:])
    private static let knownMax = 10_000

    private static func normalised(_ text: String) -> String {
        if let known = known.withLock({ $0[text] }) { return known }
        let value = replaced(text)
        known.withLock { known in
            if known.count >= knownMax { known.removeAll() }
            known[text] = value
        }
        return value
    }

    private static func replaced(_ text: String) -> String {
        text.replacing(time, with: "TIME").replacing(uuid, with: "UUID").replacing(token, with: "TOKEN")
            .replacing(varying, with: "VARIES")
    }
}

/// The numbers that an attacker has of the person's things: a real attacker tries small numbers until one is there.
struct TwinTarget: Sendable {
    var account: Int64
    var username: String
    var group: Int64
    var conversation: Int64
    var session: Int64
    var events: [Int64]
    var notices: [Int64]
    var shares: [Int64]
    var zone: Int64
}

/// Asks every method, topic and path for everything about one person.
final class TwinAttacker: Sendable {
    let relation: Relation
    let account: Int64
    let token: String?
    private let client: ChatClient
    private let server: TestServer

    init(_ relation: Relation, _ server: TestServer, _ person: ChatPerson?) async throws {
        self.relation = relation
        self.server = server
        account = person?.id ?? 0
        token = person?.token
        client = try await ChatClient(server, token: person?.token)
    }

    /// These end the attacker's own access or what later questions are about, or begin things of the attacker's own whose times differ
    /// by chance; tests of their own attack them.
    private static let ending: Set = [
        AccountLogout.name, AccountLogoutEverywhere.name, AccountChangePassword.name, AccountDelete.name,
        AccountRegister.name, AccountLogin.name,
        GroupLeave.name, GroupRemove.name, GroupRole.name, SafetyBlock.name, BuddiesRemove.name, BuddiesDecide.name,
        EventsCancel.name, EventsDelete.name, NoticesWithdraw.name, SharingStop.name, SharingStopAll.name,
        AdminDisableUser.name, AdminSignOutUser.name, AdminDeleteUser.name, AdminEditUser.name, AdminDeleteZone.name,
        AdminSaveZone.name, AdminDeletePlace.name, AdminSavePlace.name, AdminAddUser.name, AdminWelcomeUser.name,
        TestPublish.name, NoticesPublish.name, TrackingStart.name, LocationReport.name, SharingStart.name,
        TrackingDelete.name,
    ]

    /// Their answers hold random numbers or figures of the process, which name nobody.
    private static let varying: Set = [AdminFiguresGet.name, RemindersPushKey.name, "GET /metrics"]

    func topics(_ target: TwinTarget) -> [String] {
        [
            "zone/\(target.zone)/positions", "zone/\(target.zone)/notices", "session/\(target.session)", "notices",
            "campus/notices", "chat/\(target.group)", "chat/\(target.conversation)", "user/\(target.account)",
            "user/\(account)", "heatmap",
        ] + target.shares.map { "share/\($0)" }
    }

    /// Subscribes to every topic, and opens the map.
    func subscribe(_ target: TwinTarget) async throws -> [Disclosure] {
        var found: [Disclosure] = []
        for topic in topics(target) {
            let answer = try await client.ask("subscribe", "{\"topic\":\"\(topic)\"}")
            found.append(Disclosure(Self.kind(of: topic), answer))
        }
        let view = try Self.json(["box": LadderTarget.box, "zoom": 17, "encoding": "json"])
        return found + [Disclosure("positions.view", try await client.ask("positions.view", view))]
    }

    /// Asks every method that changes nothing of what others ask, and every page.
    func askAll(_ target: TwinTarget) async throws -> [Disclosure] {
        var questions: [(method: String, params: String)] = []
        for method in MethodCatalogue.methods
        where method.name != Subscribe.name && !Self.ending.contains(method.name)
            && !Self.varying.contains(method.name)
        {
            for params in try Self.params(of: method, target) { questions.append((method.name, params)) }
        }
        var found: [Disclosure] = []
        for start in stride(from: 0, to: questions.count, by: 10) {
            let some = Array(questions[start..<min(start + 10, questions.count)])
            found += zip(some, try await client.askAll(some)).map { Disclosure($0.method, $1) }
        }
        for path in ["/", "/s/\(target.session)", "/pictures/1", "/campus/map.geojson"] {
            found.append(Disclosure("GET \(path)", try await get(path)))
        }
        // Of the attacker's export what sharing leaves; the rest has random numbers of the attacker's own.
        for kind in ["watched", "watchedBy", "shares", "questions"] {
            guard let token else { break }
            let lines = try await ChatClient.export(kind, of: token, from: server)
            found.append(Disclosure("GET /account/data.json", "\(kind) \(lines)"))
        }
        return found
    }

    /// Questions with parameters that a sweep cannot make up: notices to each audience, counts of each.
    func askDirected(_ questions: [(method: String, params: String)]) async throws -> [Disclosure] {
        try await client.askAll(questions).enumerated().map { Disclosure(questions[$0].method, $1) }
    }

    func ask(_ method: String, _ params: String) async throws -> String { try await client.ask(method, params) }

    /// All pushes until now, each once, as how often a position is pushed depends on the clock.
    func pushes() throws -> Set<Disclosure> {
        Set(
            try client.frames.compactMap { frame -> Disclosure? in
                guard frame.contains(#""method":"push""#) else { return nil }
                let object = try JSONSerialization.jsonObject(with: Data(frame.utf8)) as? [String: Any]
                let topic = (object?["params"] as? [String: Any])?["topic"] as? String ?? ""
                return Disclosure(Self.kind(of: topic), try ChatClient.sorted(frame))
            })
    }

    func settle() async throws { _ = try await client.ask("ping") }

    func close() { client.close() }

    static func kind(of topic: String) -> String {
        let parts = topic.split(separator: "/")
        switch (parts.first, parts.last) {
        case ("zone", let last?): return "zone/<id>/\(last)"
        case ("campus", _): return topic
        case (let first?, _) where parts.count > 1: return first == "people" ? "people/<x>/<y>" : "\(first)/<id>"
        default: return topic
        }
    }

    static func json(_ object: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    private static func params(of method: MethodCatalogue.Method, _ target: TwinTarget) throws -> [String] {
        let example = method.exampleParams.map { Data($0) } ?? Data("{}".utf8)
        guard let object = try JSONSerialization.jsonObject(with: example) as? [String: Any] else { return [] }
        let audiences: [[String: Any]] =
            [["kind": "user", "account": target.account], ["kind": "zone", "zone": target.zone]]
            + target.events.map { ["kind": "event", "event": $0] }
        var values: [String: [Any]] = [
            "account": [target.account], "username": [target.username], "session": [target.session],
            "conversation": [target.conversation, target.group], "group": [target.group], "zone": [target.zone],
            "event": target.events, "notice": target.notices, "share": target.shares, "request": [1, 2],
            "message": [1, 2], "report": [1], "audience": audiences,
        ]
        values["topic"] = ["chat/\(target.group)", "chat/\(target.conversation)", "notices", "campus/notices"]
        // One after the other with the first value of each other member.
        var filled = object
        for (key, value) in values where object[key] != nil {
            guard let first = value.first, type(of: first) == String.self || !(object[key] is String) else { continue }
            filled[key] = first
        }
        for (key, value) in object where (key == "clientId" || key == "id") && value is String {
            filled[key] =
                "00000000-0000-4000-8000-\(String(format: "%012d", abs(method.name.utf8.reduce(7) { $0 &* 31 &+ Int($1) }) % 1_000_000_000))"
        }
        var variants = [filled]
        for (key, value) in values where object[key] != nil && !(object[key] is String) {
            for other in value.dropFirst() {
                var variant = filled
                variant[key] = other
                variants.append(variant)
            }
        }
        // And with the members that may be left out, by the names that others have.
        var more = filled
        for key in ["account", "username", "session", "conversation"] where more[key] == nil {
            more[key] = values[key]?.first
        }
        more["text"] = more["text"] ?? target.username
        variants.append(more)
        return try variants.map(json)
    }

    private func get(_ path: String) async throws -> String {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try await socket.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\(bearer)\r\n")
        let response = try await socket.response()
        return "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
    }
}
