import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

/// What the web app sends later may be sent twice: its first reply was lost.
@Suite("Requests that are sent again after a lost reply")
struct RepeatedWriteTests {
    /// Without the columns with which the nodes agree on the owner of a session.
    private static let sessions = "(SELECT id, title, audience, state, ended_at FROM sessions)"
    /// Tables that the requests change. A repeated one leaves all their rows as they are.
    private static let tables = [
        "blocks", "buddies", "buddy_decisions", "chat_log", "chat_settings", "conversations", "event_news",
        "event_people",
        "events", "goals", "links", "members", "notice_holds", "privacy_settings", "private_zones", "quiet_hours",
        "reactions",
        "reminder_settings", "retracted", "searches", sessions, "visits", "zone_followers",
    ]

    private let server: TestServer
    private let anna: ChatPerson
    private let ben: ChatPerson

    init() async throws {
        server = try await TestServer.start()
        anna = try await ChatPerson(server, lastName: "Ash")
        ben = try await ChatPerson(server, lastName: "Birch")
    }

    private func rows() async throws -> [String] {
        let database = try await server.database()
        defer { database.close() }
        var all: [String] = []
        for table in Self.tables {
            let row = try await database.query(
                "SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') AS sum FROM \(table) t"
            ).first
            all.append("\(table) \(try #require(row).text("sum"))")
        }
        return all
    }

    /// Sends a request twice. The second one changes nothing. A deletion is answered with `notFound` then, which the web app takes as done.
    @discardableResult
    private func twice<M: RPCMethod>(
        _ method: M.Type, _ params: M.Params, isDeletion: Bool = false, changes: Bool = true
    ) async throws -> M.Result {
        let before = try await rows()
        let first = try await anna.client.call(method, params)
        let after = try await rows()
        #expect((before != after) == changes, "\(M.name) changes rows")
        do {
            _ = try await anna.client.call(method, params)
            #expect(!isDeletion, "\(M.name)")
        } catch let error as RPCError {
            #expect(isDeletion && error.registered == .notFound, "\(M.name): \(error)")
        }
        let again = try await rows()
        #expect(again == after, "\(M.name)")
        return first
    }

    private static let start = Timestamp.now.advanced(bySeconds: 7_200)

    private static func details(_ title: String) -> EventDetails {
        EventDetails(
            title: title, startsAt: start, duration: 3_600,
            place: EventPlace(name: "Track"))
    }

    @Test("Sessions, settings, zones and goals: the second request changes nothing")
    func settings() async throws {
        let client = anna.client
        let start = Timestamp.now.advanced(bySeconds: -600)
        let session = try await client.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, title: "Loop", startedAt: start)
        ).session.id
        _ = try await client.call(TrackingStop.self, .init(session: session))
        let link = try await client.call(TrackingLink.self, .init(session: session, expiresIn: 3_600)).link.id
        try await twice(TrackingRename.self, .init(session: session, title: "Long loop"))
        try await twice(TrackingAudience.self, .init(session: session, audience: .public))
        try await twice(TrackingUnlink.self, .init(session: session, link: link), isDeletion: true)
        try await twice(TrackingDelete.self, .init(session: session), isDeletion: true)
        for isOn in [true, false] {
            try await twice(PrivacySettingsSave.self, .init(visits: isOn))
            try await twice(
                RemindersSaveSettings.self,
                .init(kinds: [.init(kind: .event, channels: isOn ? [] : [.email])], hidesText: isOn))
            try await twice(ChatSettingsSave.self, .init(typing: !isOn))
            let hours = isOn ? QuietHours(from: "22:00", to: "07:00", timeZone: "UTC") : nil
            try await twice(NoticesSaveSettings.self, .init(quietHours: hours))
        }
        let zone = try await twice(
            PrivacySaveZone.self,
            .init(clientId: UUID().uuidString, name: "Home", lat: 51.5, lon: 8, size: .small))
        try await twice(PrivacySaveZone.self, .init(zone: zone.id, name: "Home", lat: 51.6, lon: 8, size: .small))
        try await twice(PrivacyDeleteZone.self, .init(zone: zone.id), isDeletion: true)
        try await twice(GoalsReset.self, .init(timeZone: "UTC", at: .now))
        try await twice(SearchesErase.self, .init(at: .now), changes: false)
        try await twice(VisitsErase.self, .init(at: .now), changes: false)
        await server.stop()
    }

    @Test("Events: the second request changes nothing, and notifies nobody again")
    func events() async throws {
        let id = UUID().uuidString
        let draft = try await twice(
            EventsCreate.self, .init(id: id, audience: .private, details: Self.details("Run"), publish: false))
        let event = draft.id
        try await twice(
            EventsUpdate.self, .init(event: event, revision: draft.revision, details: Self.details("Long run")))
        try await twice(EventsPublish.self, .init(event: event))
        try await twice(EventsCancel.self, .init(event: event, reason: "Rain"))
        let other = try await twice(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .private, details: Self.details("Ride"), publish: false))
        try await twice(EventsDelete.self, .init(event: other.id), isDeletion: true)
        await server.stop()
    }

    @Test("Chats and people: the second request changes nothing, and the log has each change once")
    func chats() async throws {
        let direct = try await anna.match(ben)
        let message = try await anna.send("Hello", in: direct)
        try await twice(ChatEdit.self, .init(conversation: direct, message: message, text: "Hello there"))
        try await twice(ChatReact.self, .init(conversation: direct, message: message, emoji: .thumb, on: true))
        try await twice(ChatReact.self, .init(conversation: direct, message: message, emoji: .thumb, on: false))
        try await twice(ChatDelete.self, .init(conversation: direct, message: message))
        try await twice(ChatMute.self, .init(conversation: direct, seconds: nil))
        try await twice(ChatMute.self, .init(conversation: direct, seconds: 0))
        let own = try await twice(GroupCreate.self, .init(id: UUID().uuidString, name: "Runners", invite: [ben.id]))
        try await twice(GroupRename.self, .init(conversation: own.conversation, name: "Night runners"))
        try await twice(GroupLeave.self, .init(conversation: own.conversation), isDeletion: true)
        let others = try await ben.makeGroup("Riders", with: [anna])
        try await twice(GroupAnswer.self, .init(conversation: others, accept: true))
        let refused = try await ben.makeGroup("Swimmers", with: [anna])
        try await twice(GroupAnswer.self, .init(conversation: refused, accept: false), isDeletion: true)
        try await twice(BuddiesRemove.self, .init(account: ben.id), isDeletion: true)
        try await twice(SafetyBlock.self, .init(account: ben.id))
        try await twice(SafetyUnblock.self, .init(account: ben.id))
        await server.stop()
    }
}
