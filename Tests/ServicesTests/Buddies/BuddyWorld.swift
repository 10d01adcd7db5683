import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Services

/// Buddies and safety over a database of their own: a deck holds everybody who is there. It is 2026-11-20.
struct BuddyWorld: Sendable {
    let world: World
    let buddies: Buddies
    let safety: Safety
    let notified = RecordedEvents()

    init(connections: Int = 4) async throws {
        world = World(
            access: try await MigratedDatabase.shared.own(), patience: .seconds(60), connections: connections)
        let (clock, notified) = (world.clock, notified)
        let events = notified.events
        buddies = Buddies(loop: world.loop, database: world.pool, events: events, now: { clock.now })
        safety = Safety(loop: world.loop, database: world.pool, events: events, now: { clock.now })
    }

    func close() async { await world.close() }

    /// Somebody who may look at the deck.
    func person(
        _ firstName: String = "Ana", _ lastName: String = "Souza", birthday: String = "2003-04-30",
        gender: Gender = .female, _ change: (inout BuddyProfile) -> Void = { _ in }
    ) async throws -> Identity {
        let identity = try await world.member()
        _ = try await buddies.saveProfile(
            identity, Profile(firstName: firstName, lastName: lastName, birthday: birthday, gender: gender))
        _ = try await buddies.agree(identity, .init(version: BuddyCatalogue.rulesVersion))
        var profile = BuddyProfile()
        change(&profile)
        _ = try await buddies.save(identity, profile)
        return identity
    }

    func deck(_ viewer: Identity, limit: Int? = Buddies.cardsMax) async throws -> [BuddyCard] {
        try await buddies.deck(viewer, .init(limit: limit)).cards
    }

    func accounts(_ viewer: Identity) async throws -> [Int64] { try await deck(viewer).map(\.account) }

    @discardableResult
    func decide(_ viewer: Identity, _ other: Identity, accept: Bool) async throws -> BuddiesDecide.Result {
        try await buddies.decide(viewer, .init(account: other.account.id, accept: accept))
    }

    /// Matches two; gives their conversation.
    @discardableResult
    func match(_ one: Identity, _ other: Identity) async throws -> Int64 {
        try await decide(one, other, accept: true)
        return try #require(try await decide(other, one, accept: true).conversation)
    }

    func buddies(_ viewer: Identity) async throws -> [Int64] {
        try await buddies.list(viewer).buddies.map(\.person.account)
    }

    func block(_ one: Identity, _ other: Identity) async throws {
        _ = try await safety.block(one, .init(account: other.account.id))
    }

    func unblock(_ one: Identity, _ other: Identity) async throws {
        _ = try await safety.unblock(one, .init(account: other.account.id))
    }

    /// A statement on the tables, as the server's role.
    @discardableResult
    func sql(_ text: String, _ parameters: [PostgresValue] = []) async throws -> PostgresRows {
        try await world.pool.query(text, parameters)
    }

    func number(_ text: String, _ parameters: [PostgresValue] = []) async throws -> Int64 {
        try #require(try await sql(text, parameters).first).int("n")
    }

    /// A picture of somebody's.
    func picture(of identity: Identity, purpose: String = "profile") async throws -> String {
        let id = UUID().uuidString.lowercased()
        try await sql(
            """
            INSERT INTO pictures (id, owner_id, purpose, width, height, "full", thumb) VALUES ($1, $2, $3, 1, 1, '', '')
            """, [.uuid(id), .int(identity.account.id), .text(purpose)])
        return id
    }

    func admin() async throws -> Identity {
        let email = try await world.register().0.account.email
        _ = try await world.accounts.setRole(.admin, ofEmail: email)
        return try await world.login(email, "Passw0rd").1
    }
}

/// What others were told, in order.
final class RecordedEvents: Sendable {
    enum Event: Equatable, Sendable {
        case opened(Int64, Set<Int64>)
        case closed(Int64, Set<Int64>)
        case uninvited(Int64, Int64)
        case blockChanged(Set<Int64>, Bool)
        case reported
    }

    private let all = Mutex<[Event]>([])

    var events: BuddyHandlers {
        BuddyHandlers(
            opened: { conversation, accounts in self.add(.opened(conversation, Set(accounts))) },
            closed: { conversation, accounts in self.add(.closed(conversation, Set(accounts))) },
            uninvited: { conversation, account in self.add(.uninvited(conversation, account)) },
            blockChanged: { one, other, isOn in self.add(.blockChanged([one, other], isOn)) },
            reported: { _ in self.add(.reported) })
    }

    private func add(_ event: Event) { all.withLock { $0.append(event) } }

    /// Since the last time.
    func take() -> [Event] {
        all.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
