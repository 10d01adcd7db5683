import APIDescription
import Delivery
import Foundation
import Logging
import Postgres
import Server
import Services
import Synchronization
import TestSupport
import Wire

/// A server that answers generated requests, with accounts of every role and objects of every kind in it.
public final class RequestServer: Sendable {
    /// Somebody who calls methods; nil is a guest.
    public struct Caller: Sendable {
        /// Nil for a guest.
        public let role: Role?
        /// Nil for a guest.
        public let token: String?
        /// Makes its parameters.
        public let valid: ValidParams
    }

    /// Lines that the server wrote at the level error.
    public final class ErrorLines: Sendable {
        private let lines = Mutex<[String]>([])
        /// Makes an empty one.
        public init() {}
        /// All so far.
        public var all: [String] { lines.withLock { $0 } }
        func add(_ line: [UInt8]) { lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
    }

    /// Guests too.
    public static let roles: [Role?] = [nil, .student, .lecturer, .rewards, .admin]

    /// The server.
    public let server: TestServer
    /// Its errors.
    public let errors: ErrorLines
    /// Its objects.
    public let pool = ObjectPool()

    /// Who made the objects, by role.
    private let residents = Mutex<[Role: Caller]>([:])

    private init(_ server: TestServer, _ errors: ErrorLines) { (self.server, self.errors) = (server, errors) }

    /// Starts it, without limits of rates, and makes the objects.
    public static func start(seed: UInt64) async throws -> RequestServer {
        let errors = ErrorLines()
        let logger = Logger(label: "campanile.server") { label in
            LineLogHandler(label: label, level: .error, format: .text) { errors.add($0) }
        }
        let started = RequestServer(
            try await TestServer.start(logger: logger) {
                $0.testEndpoints = true
                $0.rateLimits = .off
                try remind(&$0.reminders)
            }, errors)
        try await started.makeObjects(seed: seed)
        return started
    }

    /// By every channel, though nobody is there to take what is sent.
    private static func remind(_ reminders: inout ReminderConfiguration) throws {
        reminders.publicURL = "https://campus.example"
        guard let sender = MailAddress("campus@example.org") else {
            throw BrokenServer(description: "there is no sender")
        }
        reminders.mail = .init(server: try MailServer(url: "smtp+plain://localhost:9"), from: sender)
        reminders.text = try TextGateway(url: "http://localhost:9/messages", header: "Authorization: Bearer secret")
        reminders.pushContact = "mailto:campus@example.org"
        reminders.pushAllowedHosts = ["localhost"]
    }

    /// The server's port.
    public var port: UInt16 { server.port }

    /// Who made objects; nil for a guest's role has no account.
    public func resident(_ role: Role?) -> Caller? {
        guard let role else { return Caller(role: nil, token: nil, valid: ValidParams(pool: pool)) }
        return residents.withLock { $0[role] }
    }

    /// Registers an account of a role, as an operator makes one.
    public func makeCaller(_ role: Role?, kind: String = "account") async throws -> Caller {
        var valid = ValidParams(pool: pool)
        guard let role else { return Caller(role: nil, token: nil, valid: valid) }
        let (connection, signedIn) = try await server.register()
        await connection.close()
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            "UPDATE accounts SET role = $2, email_confirmed_at = now(), confirm_by = NULL WHERE id = $1",
            [.int(signedIn.account.id), .text(role.rawValue)])
        valid.account = "\(signedIn.account.id)"
        valid.username = signedIn.account.username
        pool.add(kind, valid.account)
        let caller = Caller(role: role, token: signedIn.token, valid: valid)
        guard kind == "account" else { return caller }
        pool.add("username", JSONTree.quoted(valid.username))
        residents.withLock { residents in
            if residents[role] == nil { residents[role] = caller }
        }
        return caller
    }

    // MARK: Objects

    private func makeObjects(seed: UInt64) async throws {
        let info = try await server.connect().call(CampusInfoGet.self, Empty())
        for zone in info.zones.prefix(4) { pool.add("zone", "\(zone.id)") }
        for _ in 0..<3 { _ = try await makeCaller(.student, kind: "spare") }
        var callers: [Caller] = []
        for role in [Role.student, .student, .lecturer, .rewards, .admin] { callers.append(try await makeCaller(role)) }
        let all = callers
        try await onThread { try self.makeObjects(all, seed: seed) }
    }

    private func makeObjects(_ callers: [Caller], seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let clients = try callers.map { ($0, try WireClient(port: port, isWebSocket: false, token: $0.token)) }
        // Everybody has a profile and is everybody's buddy.
        for (caller, client) in clients {
            for (method, params) in Self.profile { try call(client, caller, method, params) }
        }
        for (caller, client) in clients {
            for other in callers where other.valid.account != caller.valid.account {
                try call(client, caller, "buddies.decide", #"{"account":\#(other.valid.account),"accept":true}"#)
            }
        }
        // In an order in which each finds what it refers to.
        for name in Self.making {
            guard let method = MethodCatalogue.methods.first(where: { $0.name == name }) else { continue }
            for (caller, client) in clients where method.access.admits(caller.role) {
                try call(client, caller, name, caller.valid.make(method, using: &generator).text)
            }
        }
    }

    private static let profile = [
        ("profile.save", #"{"firstName":"Ana","lastName":"Berg","birthday":"2001-05-17","gender":"female"}"#),
        ("buddies.agree", #"{"version":1}"#),
        (
            "buddies.save",
            #"{"active":true,"preferredGender":"any","genderOnly":false,"showsAge":true,"description":"Runs","times":[],"goals":[],"strengths":[],"styles":[],"places":[],"traits":[],"desiredTraits":[],"desiredStyles":[]}"#
        ),
    ]

    private static let making = [
        "group.create", "chat.send", "chat.send", "chat.send", "events.create", "notices.publish", "notices.publish",
        "tracking.start",
        "tracking.points", "tracking.link", "location.report", "sharing.start", "sharing.start", "sharing.ask",
        "admin.savePlace",
        "admin.saveZone", "saved.save", "privacy.saveZone", "privacy.saveSettings", "searches.note", "searches.list",
        "safety.report", "account.devices", "events.list", "places.list", "tracking.history", "test.publish",
        "goals.save",
    ]

    private func call(_ client: WireClient, _ caller: Caller, _ method: String, _ params: String) throws {
        let request = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        let answer = try client.answer(to: Array(request.utf8), id: 1)
        if let result = Reply(answer)?.result { caller.valid.learn(method, result) }
    }
}

/// An answer, as far as a judge needs it.
public struct Reply {
    /// Nil for a result.
    public let code: Int?
    /// The error message; empty for a result.
    public let message: String
    /// The result; nil for an error.
    public let result: [String: Any]?

    /// Nil for what is no JSON-RPC answer.
    public init?(_ bytes: [UInt8]) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            object["jsonrpc"] as? String == "2.0"
        else { return nil }
        let error = object["error"] as? [String: Any]
        code = error?["code"] as? Int
        message = error?["message"] as? String ?? ""
        result = object["result"] as? [String: Any]
        guard error != nil || object["result"] != nil else { return nil }
    }
}
