import EventLoop
import Foundation
import Hub
import Postgres
import TestSupport
import Wire

@testable import Services

/// Events over the tests' database, with buddies, groups, blocks, and a clock that the test moves.
struct EventWorld: Sendable {
    let chats: ChatWorld
    let events: Events
    var world: World { chats.world }
    var clock: TestClock { world.clock }
    var pool: PostgresPool { world.pool }

    init() async throws { self.init(over: try await ChatWorld()) }

    /// In a database of its own, where nothing but what the test makes is found.
    static func alone(_ body: (EventWorld) async throws -> Void) async throws {
        let world = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(120))
        do { try await body(EventWorld(over: ChatWorld(over: world))) } catch {
            await world.close()
            throw error
        }
        await world.close()
    }

    private init(over chats: ChatWorld) {
        let clock = chats.clock
        self.chats = chats
        events = Events(
            loop: chats.world.loop, database: chats.pool, hub: chats.hub, campus: chats.world.campus,
            now: { clock.now })
    }

    func member() async throws -> Identity { try await world.member() }

    /// Somebody of a role.
    func member(_ role: Role) async throws -> Identity {
        let identity = try await member()
        _ = try await pool.query(
            "UPDATE accounts SET role = $2 WHERE id = $1", [.int(identity.account.id), .text(role.rawValue)])
        var account = identity.account
        account.role = role
        return Identity(account: account, tokenID: identity.tokenID)
    }

    /// What an event is, unless said otherwise: an hour's run, in an hour, in zone 1.
    func details(
        _ title: String = "Morning run", in seconds: Double = 3_600, capacity: Int? = nil, workout: String? = "running"
    ) -> EventDetails {
        EventDetails(
            title: title, description: "Easy pace.", workout: workout, startsAt: clock.now.advanced(bySeconds: seconds),
            duration: 3_600, place: EventPlace(name: "Stadium", lat: 0.001, lon: 0.001), capacity: capacity)
    }

    /// The host stays away, so that counts are those of whom a test names.
    func publish(
        _ details: EventDetails? = nil, _ audience: EventAudience = .public, by who: Identity,
        id: String = World.newID()
    ) async throws -> Event {
        let event = try await events.create(
            .init(id: id, audience: audience, details: details ?? self.details(), publish: true), by: who)
        guard event.mine.answer != nil else { return event }
        _ = try await pool.query(
            "DELETE FROM event_people WHERE event_id = $1 AND account_id = $2", [.int(event.id), .int(who.account.id)])
        return try await events.event(event.id, for: who)
    }

    @discardableResult
    func answer(_ event: Event, _ answer: EventAnswer?, by who: Identity) async throws -> Event {
        try await events.answer(.init(event: event.id, answer: answer), by: who)
    }

    func update(_ event: Event, by who: Identity, _ change: (inout EventDetails) -> Void) async throws -> Event {
        var details = event.details
        change(&details)
        return try await events.update(.init(event: event.id, revision: event.revision, details: details), by: who)
    }

    /// A block that is there before anything was done about it.
    func blockAlone(_ one: Identity, _ other: Identity) async throws {
        _ = try await pool.query(
            "INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)",
            [.int(one.account.id), .int(other.account.id)])
    }

    /// A run that is over, at one place.
    func finishedRun(_ who: Identity, lon: Double) async throws {
        _ = try await pool.query(
            """
            WITH made AS (
                INSERT INTO sessions (account_id, client_id, activity, title, state, simulated, started_at, ended_at, points, last_seq)
                VALUES ($1, gen_random_uuid(), 'run', 'Run', 'finished', false, $2, $2, 20, 20) RETURNING id)
            INSERT INTO points (session_id, seq, at, lat, lon, distance, moving)
            SELECT made.id, n, $2, 0.001, $3, 0, 0 FROM made CROSS JOIN generate_series(1, 20) n
            """, [.int(who.account.id), .timestamp(clock.now.milliseconds), .double(lon)])
    }

    /// Titles of what somebody finds; nobody is a guest.
    func titles(_ params: EventsList.Params = .init(), of who: Identity?) async throws -> [String] {
        try await events.list(params, for: who).events.map(\.details.title)
    }

    /// A connection that hears what is new for somebody.
    func listen(_ who: Identity) async throws -> RecordingViewer {
        let viewer = RecordingViewer(loop: TestDatabase.shared.loop)
        try await chats.hub.signals.subscribe(viewer, account: who.account.id) { [] }
        return viewer
    }

    /// What it heard of events, but for answers.
    func news(_ viewer: RecordingViewer) async throws -> [EventNews] {
        try await received(viewer).filter { $0 != .answered }
    }

    /// What it heard of events.
    func received(_ viewer: RecordingViewer) async throws -> [EventNews] {
        try await viewer.take().flatMap(\.messages).compactMap { message in
            let json = RecordingViewer.payload(of: message.frame)
            return json.isEmpty ? nil : try WireJSON.decode(Push<UserSignal>.self, from: json).params.data.news
        }
    }
}
