import APIDescription
import Campus
import Foundation
import TestSupport
import Wire

@testable import Hub
@testable import HubCore
@testable import Server

/// What an attacker knows of whom they look for.
struct LadderTarget: Sendable {
    var owner: Int64
    var username: String
    var group: Int64
    var session: Int64
    /// Numbers of all shares; before there are any, ones that nothing has.
    var shares: [Int64]
    /// Of the share by link.
    var token: String
    var request: Int64
    let zones: [Int64]

    /// All of the campus, as `positions.view` takes it.
    static let box: [Double] = {
        let box = SampleCampus.document.bounds
        return [box.south, box.west, box.north, box.east]
    }()

    /// Every topic that there is, with every number that can matter.
    func topics(for account: Int64) -> [Topic] {
        let (low, high) = (
            Cell(containing: SampleCampus.document.bounds.northWest, zoom: Topic.peopleZoom),
            Cell(containing: SampleCampus.document.bounds.southEast, zoom: Topic.peopleZoom)
        )
        let cells = (low.x...high.x).flatMap { x in
            (low.y...high.y).compactMap { Cell(zoom: Topic.peopleZoom, x: x, y: $0) }
        }
        return shares.map { .share($0) } + cells.map { .people($0) } + zones.map { .zonePositions($0) }
            + zones.map { .zoneNotices($0) } + [
                .session(session), .chat(group), .user(owner), .user(account), .notices, .campusNotices, .heatmap,
                .test(1),
            ]
    }
}

/// Something that an attacker got.
struct LadderCatch: Sendable {
    /// By which method, topic or path.
    let outlet: String
    let text: String

    /// The same without what is another each time and is no position.
    var essence: String {
        text.split(separator: "\"").filter { !($0.utf8.count == 24 && $0.hasPrefix("20") && $0.hasSuffix("Z")) }
            .joined(separator: "\"")
            .replacing(":true", with: ":").replacing(":false", with: ":")
    }

    /// The kind of a topic.
    static func kind(of topic: String) -> String {
        guard let kind = topic.split(separator: "/").first, topic.contains("/") else { return topic }
        return kind == "people" ? "people/<x>/<y>" : kind == "share" ? "share/<id>" : "\(kind)/…"
    }
}

/// Somebody who wants to know where the owner is.
final class LadderAttacker: Sendable {
    let role: String
    let account: Int64
    let token: String?
    let username: String?
    /// Has every topic open.
    private let listener: ChatClient
    /// Has the map open, in binary messages.
    private let map: ChatClient
    private let server: TestServer

    init(_ role: String, _ server: TestServer, token: String?, account: Int64 = 0, username: String? = nil) async throws
    {
        (self.role, self.server, self.token, self.account, self.username) = (role, server, token, account, username)
        listener = try await ChatClient(server, token: token)
        map = try await ChatClient(server, token: token)
        _ = try await map.ask("positions.view", try Self.json(Self.view(encoding: "binary")))
        _ = try await listener.ask("positions.view", try Self.json(Self.view(encoding: "json")))
    }

    var binary: [[UInt8]] { map.binary }
    var framesUntilNow: Int { listener.frames.count }

    private static func view(encoding: String) -> [String: Any] {
        ["box": LadderTarget.box, "zoom": 17, "encoding": encoding]
    }

    private static func json(_ object: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    /// Opens every topic, with the link's token where it may help.
    func subscribe(_ target: LadderTarget, hasLink: Bool) async throws -> [LadderCatch] {
        var caught: [LadderCatch] = []
        for topic in target.topics(for: account) {
            var params: [String: Any] = ["topic": topic.description]
            if hasLink { params["share"] = target.token }
            let answer = try await listener.ask("subscribe", try Self.json(params))
            caught.append(LadderCatch(outlet: LadderCatch.kind(of: topic.description), text: answer))
        }
        return caught
    }

    /// What was pushed to it, from a frame on.
    func pushes(from first: Int) throws -> [LadderCatch] {
        try (listener.frames.dropFirst(first) + map.frames).compactMap { frame in
            guard frame.contains(#""method":"push""#) else { return nil }
            let object = try JSONSerialization.jsonObject(with: Data(frame.utf8)) as? [String: Any]
            let topic = (object?["params"] as? [String: Any])?["topic"] as? String ?? ""
            return LadderCatch(outlet: LadderCatch.kind(of: topic), text: try ChatClient.sorted(frame))
        }
    }

    /// What was said before has come.
    func settle() async throws {
        _ = try await listener.ask("ping")
        _ = try await map.ask("ping")
    }

    // MARK: Methods

    /// These end the attacker's own access when they succeed, or what the others attack.
    private static let ending: Set = [
        AccountLogout.name, AccountLogoutEverywhere.name, AccountChangePassword.name, AccountDelete.name,
        GroupLeave.name, GroupRemove.name,
        SafetyBlock.name, AdminDisableUser.name, AdminSignOutUser.name, AdminDeleteUser.name, AdminEditUser.name,
        AdminDeleteZone.name, AdminSaveZone.name, AdminDeletePlace.name, AdminSavePlace.name,
    ]

    /// Asks every method there is, for the owner in every member that names somebody or something.
    func askAll(_ target: LadderTarget) async throws -> [LadderCatch] {
        var questions: [(method: String, params: String)] = []
        for method in MethodCatalogue.methods where method.name != Subscribe.name {
            guard method.name != AccountLogout.name, method.name != AccountLogoutEverywhere.name else { continue }
            for params in try Self.params(of: method, target) { questions.append((method.name, params)) }
        }
        let client = try await ChatClient(server, token: token)
        defer { client.close() }
        var caught: [LadderCatch] = []
        for start in stride(from: 0, to: questions.count, by: 10) {
            let some = Array(questions[start..<min(start + 10, questions.count)])
            caught += zip(some, try await client.askAll(some)).map { LadderCatch(outlet: $0.method, text: $1) }
        }
        // Pushes that came of them, and by HTTP the same.
        caught += client.frames.filter { $0.contains(#""method":"push""#) }.map {
            LadderCatch(outlet: "a push", text: $0)
        }
        // Of each method the one with all members.
        let fullest = Array(Dictionary(questions.map { ($0.method, $0) }) { $1 }.values)
        for start in stride(from: 0, to: fullest.count, by: Router.batchMax) {
            let batch = fullest[start..<min(start + Router.batchMax, fullest.count)].map {
                #"{"jsonrpc":"2.0","id":1,"method":"\#($0.method)","params":\#($0.params)}"#
            }
            let text = try await http("POST /rpc", body: "[\(batch.joined(separator: ","))]")
            let answers = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            for answer in answers ?? [["text": text]] {
                caught.append(LadderCatch(outlet: "POST /rpc", text: try ChatClient.sorted(try Self.json(answer))))
            }
        }
        return caught + (try await leave())
    }

    /// What ends all of the attacker's connections: for the end.
    func leaveEverywhere() async throws -> LadderCatch {
        LadderCatch(
            outlet: AccountLogoutEverywhere.name, text: try await listener.ask(AccountLogoutEverywhere.name))
    }

    /// What ends a connection's right, with a token of its own.
    private func leave() async throws -> [LadderCatch] {
        let client = try await ChatClient(server)
        defer { client.close() }
        if let username {
            _ = try await client.call(
                AccountLogin.self, .init(email: "\(username)@example.org", password: TestServer.password))
        }
        return [LadderCatch(outlet: AccountLogout.name, text: try await client.ask(AccountLogout.name))]
    }

    private static func params(of method: MethodCatalogue.Method, _ target: LadderTarget) throws -> [String] {
        let example = method.exampleParams.map { Data($0) } ?? Data("{}".utf8)
        guard let object = try JSONSerialization.jsonObject(with: example) as? [String: Any],
            !ending.contains(method.name)
        else { return [String(decoding: example, as: UTF8.self)] }
        let numbers = [
            "account": target.owner, "session": target.session, "conversation": target.group, "group": target.group,
            "request": target.request, "zone": target.zones.first ?? 0,
        ]
        var variants: [[String: Any]] = []
        for share in object["share"] is NSNumber ? target.shares : [0] {
            var filled = object
            for (key, value) in object {
                if let number = numbers[key], value is NSNumber { filled[key] = number }
                if key == "share" { filled[key] = value is NSNumber ? share : target.token as Any }
                if key == "accounts" { filled[key] = [target.owner] }
                if key == "username" { filled[key] = target.username }
                if key == "token" { filled[key] = target.token }
                if key == "topic" { filled[key] = "chat/\(target.group)" }
                if key == "clientId" || key == "id", value is String { filled[key] = UUID().uuidString }
            }
            variants.append(filled)
            // And with every member that may be left out, by the names that others have.
            let more: [String: Any] = [
                "account": target.owner, "username": target.username, "session": target.session,
                "share": target.token, "campus": true, "box": LadderTarget.box, "zoom": 17,
                "conversation": target.group, "text": target.username,
            ]
            variants.append(filled.merging(more) { own, _ in own })
        }
        return try variants.map(json)
    }

    // MARK: HTTP

    /// Every path that answers with anything of people, and the pages that links lead to.
    func askPages(_ target: LadderTarget, metricsToken: String) async throws -> [LadderCatch] {
        let paths = [
            "/", "/l/\(target.token)", "/sharing", "/healthz", "/readyz", "/config.json", "/campus/map.geojson", "/ws",
            "/account/data.json", "/account/tracks.gpx", "/pictures/\(target.token)", "/calendar/\(target.token).ics",
            "/unsubscribe/\(target.token)", "/share/\(target.shares.first ?? 0)", "/nothing",
        ]
        var caught: [LadderCatch] = []
        for path in paths {
            caught.append(LadderCatch(outlet: "GET \(path)", text: try await http("GET \(path)")))
        }
        let metrics = try await http("GET /metrics", token: metricsToken)
        return caught + [LadderCatch(outlet: "GET /metrics", text: metrics)]
    }

    private func http(_ request: String, token: String? = nil, body: String? = nil) async throws -> String {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        var head = "\(request) HTTP/1.1\r\nHost: x\r\n"
        if let token = token ?? self.token { head += "Authorization: Bearer \(token)\r\n" }
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        try await socket.send("\(head)\r\n\(body ?? "")")
        let response = try await socket.response()
        return response.text
    }
}
