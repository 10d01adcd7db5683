import Delivery
import EventLoop
import Foundation
import Hub
import HubCore
import Postgres
import TestSupport
import Wire

@testable import Services

/// Reminders over a database of the test's own, with a real mail server, push service and gateway, and a clock that the test moves.
struct ReminderWorld: Sendable {
    static let site = "https://campus.example"

    let chats: ChatWorld
    let events: Events
    let reminders: Reminders
    let mail: TestPython?
    let push: TestPython?
    let gateway: TestPython?
    let configuration: ReminderConfiguration
    var clock: TestClock { chats.clock }
    var pool: PostgresPool { chats.pool }

    /// Which servers there are.
    struct Servers: OptionSet {
        let rawValue: Int
        static let mail = Servers(rawValue: 1)
        static let push = Servers(rawValue: 2)
        static let gateway = Servers(rawValue: 4)
    }

    /// - Parameters:
    ///   - mailMode: `plain`, `starttls` or `tls`.
    ///   - change: Changes the configuration.
    init(
        _ servers: Servers, mailMode: String = "plain",
        _ change: (inout ReminderConfiguration) throws -> Void = { _ in },
        heldUntil: @escaping Reminders.HeldUntil = { _ in [:] }
    ) async throws {
        // Tokens are checked by the real clock.
        let world = World(
            access: try await MigratedDatabase.shared.own(), clock: TestClock(start: .now), patience: .seconds(60),
            connections: 4)
        let certificate = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        let files = [certificate.certificateFile, certificate.keyFile]
        var configuration = ReminderConfiguration()
        configuration.publicURL = Self.site
        configuration.authorityFile = certificate.certificateFile
        let mail =
            servers.contains(.mail)
            ? try await TestPython.start("mail", [mailMode] + (mailMode == "plain" ? [] : files)) : nil
        let push = servers.contains(.push) ? try await TestPython.start("push", files + ["172800"]) : nil
        let gateway = servers.contains(.gateway) ? try await TestPython.start("gateway") : nil
        if let mail {
            let scheme = ["plain": "smtp+plain", "starttls": "smtp", "tls": "smtps"][mailMode] ?? ""
            configuration.mail = .init(
                server: try MailServer(
                    url: "\(scheme)://localhost:\(mail.port)", authorityFile: certificate.certificateFile),
                from: try required(MailAddress("campus@example.org")))
        }
        if push != nil {
            configuration.pushContact = "mailto:campus@example.org"
            configuration.pushAllowedHosts = ["localhost"]
        }
        if let gateway {
            configuration.text = try TextGateway(
                url: "http://localhost:\(gateway.port)/messages", header: "Authorization: Bearer secret")
        }
        try change(&configuration)
        try await self.init(
            ChatWorld(over: world), configuration, heldUntil: heldUntil, mail: mail, push: push, gateway: gateway)
    }

    private init(
        _ chats: ChatWorld, _ configuration: ReminderConfiguration, heldUntil: @escaping Reminders.HeldUntil,
        mail: TestPython?, push: TestPython?, gateway: TestPython?
    ) async throws {
        let clock = chats.clock
        self.chats = chats
        self.configuration = configuration
        (self.mail, self.push, self.gateway) = (mail, push, gateway)
        reminders = try await Reminders.make(
            loop: chats.world.loop, database: chats.pool, hub: chats.hub, configuration: configuration,
            heldUntil: heldUntil, now: { clock.now }, logger: TestDatabase.logger)
        events = Events(
            loop: chats.world.loop, database: chats.pool, hub: chats.hub, campus: chats.world.campus,
            now: { clock.now })
    }

    /// Another server over the same outbox.
    func another() async throws -> ReminderWorld {
        try await ReminderWorld(
            ChatWorld(over: chats.world), configuration, heldUntil: { _ in [:] }, mail: mail, push: push,
            gateway: gateway)
    }

    func close() async {
        for server in [mail, push, gateway] { server?.end() }
        await reminders.stop()
        await chats.world.close()
    }

    // MARK: People

    /// Somebody whose addresses are confirmed without more ado.
    func member(email: String? = nil, text: String? = nil, push path: String? = nil) async throws -> Identity {
        let who = try await chats.member()
        for (channel, address) in [("email", email), ("text", text)] {
            guard let address else { continue }
            _ = try await pool.query(
                """
                INSERT INTO reminder_addresses (account_id, channel, address, address_key, state, created_at)
                VALUES ($1, $2, $3, $3, 'on', $4)
                """, [.int(who.account.id), .text(channel), .text(address), .timestamp(clock.now.milliseconds)])
        }
        if let path { _ = try await subscribe(who, path) }
        return who
    }

    @discardableResult
    func subscribe(_ who: Identity, _ path: String) async throws -> ReminderSettings {
        let push = try required(push)
        return try await reminders.subscribe(
            .init(
                endpoint: "https://localhost:\(push.port)\(path)",
                keys: .init(p256dh: push.greeting.text("p256dh"), auth: push.greeting.text("auth")), client: "tests"),
            of: who)
    }

    /// Begins something while somebody's addresses are being removed, and has it wait until they are.
    func whileRemoved<Result: Sendable>(
        _ who: Identity, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let begun = try await pool.transaction { [pool] transaction in
            _ = try await transaction.query(
                "DELETE FROM reminder_addresses WHERE account_id = $1", [.int(who.account.id)])
            let begun = Task { try await body() }
            _ = try await eventually("it waits") {
                let waiting = try await pool.query(
                    """
                    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """)
                return waiting.isEmpty ? nil : true
            }
            return begun
        }
        return try await begun.value
    }

    func choose(_ kinds: [ReminderKind: [ReminderChannel]], of who: Identity) async throws {
        _ = try await reminders.save(
            .init(kinds: kinds.map { .init(kind: $0.key, channels: $0.value) }), of: who)
    }

    /// An event that begins in some seconds, whose owner is somebody else, with these who come.
    func event(in seconds: Double, going: [Identity], title: String = "Morning run") async throws -> Event {
        let owner = try await chats.member()
        let event = try await events.create(
            .init(
                id: World.newID(), audience: .public,
                details: EventDetails(
                    title: title, startsAt: clock.now.advanced(bySeconds: seconds), duration: 3_600,
                    place: EventPlace(name: "Stadium")), publish: true), by: owner)
        for who in going { _ = try await events.answer(.init(event: event.id, answer: .going), by: who) }
        return event
    }

    // MARK: The outbox

    struct Row: Equatable {
        var channel: String
        var state: String
        var attempts: Int64
        var error: String?
    }

    func rows(_ who: Identity) async throws -> [Row] {
        try await pool.query(
            "SELECT channel, state, attempts, error FROM reminders WHERE account_id = $1 ORDER BY channel, id",
            [.int(who.account.id)]
        ).map {
            Row(
                channel: try $0.text("channel"), state: try $0.text("state"), attempts: try $0.int("attempts"),
                error: try $0.optionalText("error"))
        }
    }

    func states(_ who: Identity) async throws -> [String] { try await rows(who).map(\.state) }

    /// Has the server look, until nothing of somebody's is under way or due.
    func settle(_ who: Identity) async throws {
        try await reminders.runOnce()
        _ = try await eventually("what is due is settled") { () -> Bool? in
            let busy = try await pool.query(
                "SELECT 1 FROM reminders WHERE account_id = $1 AND (state = 'sending' OR state = 'waiting' AND next_at <= $2)",
                [.int(who.account.id), .timestamp(clock.now.milliseconds)])
            if busy.isEmpty { return true }
            try await reminders.runOnce()
            return nil
        }
    }

    func notice(_ id: String, to who: Identity, title: String = "Pool closed", isEmergency: Bool = false) async throws {
        try await remind(id, title: title, body: "Until noon.", of: [who], isEmergency: isEmergency)
    }

    /// A reminder of something that needs no looking up.
    func remind(
        _ id: String, title: String, body: String, of people: [Identity], isEmergency: Bool = false
    ) async throws {
        try await reminders.enqueue(
            .init(
                kind: .notice, key: id, title: title, body: body, path: "/map", isUrgent: isEmergency, due: clock.now,
                expires: clock.now.advanced(bySeconds: Reminders.eventChangeSeconds)), for: people.map(\.account.id))
    }
}

/// What must be there.
func required<T>(_ value: T?) throws -> T {
    guard let value else { throw NeverHappened(what: "a value", limit: .zero) }
    return value
}
