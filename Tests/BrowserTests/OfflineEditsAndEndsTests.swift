import CampanileClient
import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Wire

/// Edits and ends without a network: messages, a group, a session's audience and link, zones, events, searches, visits and buddies.
extension WebTracking.OfflineTests {
    struct Edited: Sendable {
        /// Edited by Anna, and sent by Ben for her reaction.
        let message: Int64
        let answered: Int64
        let group: Int64
        let link: Int64
        let cancelled: Int64
        let draft: Int64
        let blocked: Other
        let removed: Other
        /// Account of the person whom Anna has blocked before.
        let unblocked: Int64

        var paths: [String] { ["/chats/\(group)", "/events?which=own"] }
    }

    /// Somebody without a browser.
    struct Other: Sendable {
        let account: Int64
        let conversation: Int64
    }

    /// What the tests say to one another, and what is searched for.
    private enum Said {
        static let early = "Early words"
        static let later = "Later words"
        static let fromBen = "A fast lap"
        static let search = "quiet corner"
    }

    private static let waits = "textContent.includes('Waiting to be sent')"

    func prepareEdits(
        _ server: TestServer, _ anna: Person, _ ben: Person, _ conversation: Int64, session: Int64
    ) async throws -> Edited {
        let client = anna.connection
        func say(_ text: String, by person: Person) async throws -> Int64 {
            let sent = try await person.connection.call(
                ChatSend.self, .init(conversation: conversation, id: UUID().uuidString.lowercased(), text: text))
            return try #require(sent.offset)
        }
        let cancelled = try await Self.nightRun(by: anna)
        _ = try await ben.connection.call(EventsAnswer.self, .init(event: cancelled, answer: .going))
        let (carl, dora, emil) = (
            try await buddy("Carl", of: anna, on: server), try await buddy("Dora", of: anna, on: server),
            try await buddy("Emil", of: anna, on: server)
        )
        _ = try await client.call(SafetyBlock.self, .init(account: emil.account))
        try await prepareNotes(server, anna)
        return Edited(
            message: try await say(Said.early, by: anna), answered: try await say(Said.fromBen, by: ben),
            group: try await client.call(GroupCreate.self, .init(id: UUID().uuidString, name: "Swifts", invite: []))
                .conversation,
            link: try await client.call(TrackingLink.self, .init(session: session)).link.id, cancelled: cancelled,
            draft: try await Self.nightRun(by: anna, .private, publish: false), blocked: carl, removed: dora,
            unblocked: emil.account)
    }

    private func buddy(_ name: String, of anna: Person, on server: TestServer) async throws -> Other {
        let profile = Profile(firstName: name, lastName: "Dorn", birthday: "2002-03-04", gender: .male)
        let (connection, signedIn) = try await Person.registered(profile, on: server)
        let account = signedIn.account.id
        try await anna.connection.call(BuddiesDecide.self, .init(account: account, accept: true))
        let outcome = try await connection.call(BuddiesDecide.self, .init(account: anna.account, accept: true))
        await connection.close()
        return Other(account: account, conversation: try #require(outcome.conversation))
    }

    /// Two searches and a visit of Anna, and a table that keeps the notifications about events, which are deleted once they are sent.
    private func prepareNotes(_ server: TestServer, _ anna: Person) async throws {
        _ = try await anna.connection.call(PrivacySettingsSave.self, .init(visits: true, searches: true))
        for text in [Said.search, "pool"] { _ = try await anna.connection.call(SearchesNote.self, .init(text: text)) }
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            """
            INSERT INTO visits (account_id, kind, subject_id, day)
            SELECT $1, 'building', id, current_date FROM buildings ORDER BY id LIMIT 1
            """, [.int(anna.account)])
        try await database.script(
            """
            CREATE TABLE told AS SELECT * FROM event_news WITH NO DATA;
            CREATE FUNCTION keep_told() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                INSERT INTO told SELECT NEW.*;
                RETURN NULL;
            END $$;
            CREATE TRIGGER keep_told AFTER INSERT ON event_news FOR EACH ROW EXECUTE FUNCTION keep_told();
            """)
    }

    // MARK: Steps

    /// On the page of the session.
    func changeSharing(_ anna: Person, _ edited: Edited) async throws {
        try await anna.taps(
            "#share .choice:has([value=public])", until: "the audience waits",
            "document.querySelector('#share > .saved').dataset.state === 'waiting'")
        try await anna.taps(
            "#links [data-link=\"\(edited.link)\"] button", until: "the end of the link waits",
            "document.querySelector('#links [data-link=\"\(edited.link)\"]').\(Self.waits)")
    }

    /// As `changeSharing` left it, as an expression.
    static func isShared(_ edited: Edited) -> String {
        """
        document.querySelector('#share [value=public]')?.checked && document.querySelector('#share > .saved').dataset.state === 'waiting'
          && document.querySelector('#links [data-link="\(edited.link)"]')?.\(waits)
          && !document.querySelector('#links [data-link="\(edited.link)"] button')
        """
    }

    /// On the page of places.
    func eraseNotes(_ anna: Person) async throws {
        try await anna.taps(
            "[aria-label=\"Delete “\(Said.search)”\"]", until: "the search is gone",
            """
            document.getElementById('searches-waiting') && !document.querySelector('.recents').textContent.includes('\(Said.search)')
              && document.querySelector('.recents').textContent.includes('pool')
            """)
        try await anna.taps(
            "#erase-visits", "#erase-visits-dialog [data-answer=yes]", until: "the visits are gone",
            "document.getElementById('visits-waiting') && !document.querySelector('#visited-places .place-row')")
    }

    /// On the page of private zones.
    func addZone(_ anna: Person) async throws {
        try await anna.taps("#add-zone", until: "a map", "document.querySelector('#zone-map canvas')")
        try await anna.browser.type("Cabin", into: "#zone-name")
        try await anna.taps(
            "#zone-map", until: "it is marked", "document.getElementById('zone-note').textContent.startsWith('Marked')")
        try await anna.taps("#zone-form-submit", until: "the zone waits", Self.isZoneWaiting)
    }

    static let isZoneWaiting =
        "document.getElementById('zone-list')?.textContent.includes('Cabin') && document.getElementById('zone-list').\(waits)"

    /// On the list of chats, and back there.
    func changePeople(_ anna: Person, _ edited: Edited) async throws {
        func chat(_ id: Int64) -> String { "[data-conversation=\"\(id)\"]" }
        func isListed(_ id: Int64) -> String { "document.querySelector('#chat-list \(chat(id))')" }
        func says(_ changes: String) -> String {
            "document.getElementById('chats-waiting')?.textContent.startsWith('\(changes) to your chats and buddies: waiting')"
        }
        try await anna.taps(
            chat(edited.group), "#conversation-who", "#rename", until: "its name",
            "document.getElementById('group-name')")
        try await anna.browser.type("Night owls", into: "#group-name")
        try await anna.taps(
            "#rename-dialog-submit", "#group [aria-label=Close]", until: "the name waits",
            "document.querySelector('.conversation-name').textContent === 'Night owls' && document.getElementById('chat-waiting').textContent.includes('1 change')"
        )
        try await anna.taps(
            ".to-list", chat(edited.blocked.conversation), "#conversation-menu", "#menu [data-action=block]",
            "#block-dialog [data-answer=yes]", until: "the block waits",
            "location.pathname === '/chats' && !\(isListed(edited.blocked.conversation)) && \(says("1 change"))")
        try await anna.taps(
            chat(edited.removed.conversation), "#conversation-menu", "#menu [data-action=remove]",
            "#remove-dialog [data-answer=yes]", until: "the removal waits",
            "location.pathname === '/chats' && !\(isListed(edited.removed.conversation)) && \(says("2 changes"))")
        func isBlocked(_ account: Int64) -> String {
            "document.querySelector('[data-blocked=\"\(account)\"]')?.\(Self.waits)"
        }
        try await anna.taps(
            "a[href='/chats/settings']", "[data-blocked=\"\(edited.unblocked)\"] button", until: "both wait",
            "\(isBlocked(edited.unblocked)) && \(isBlocked(edited.blocked.account))")
    }

    /// In the conversation with Ben.
    func changeMessages(_ anna: Person) async throws {
        let browser = anna.browser
        try await anna.pressLong(Said.early)
        try await browser.tap("#menu [data-action=edit]")
        try await browser.type(Said.later, into: "#composer")
        try await anna.taps("#send", until: "it is edited", Person.message(Said.later))
        try await anna.pressLong(Said.fromBen)
        try await anna.taps(
            "#menu [data-emoji='🔥']", until: "the reaction",
            "\(Person.message(Said.fromBen)).querySelector('.reaction[aria-pressed=true]')")
        try await anna.taps(
            "#conversation-menu", "#menu [data-action=mute]", "#mute [data-seconds='28800']", until: "all wait",
            "document.getElementById('chat-waiting').textContent.startsWith('3 changes to this chat: waiting')")
    }

    /// As `changeMessages` left it, as an expression.
    static let areMessagesChanged =
        "\(Person.message(Said.later)) && \(Person.message(Said.fromBen))?.querySelector('.reaction[aria-pressed=true]')"

    /// On the list of the own events, and back there.
    func endEvents(_ anna: Person, _ edited: Edited) async throws {
        func event(_ id: Int64) -> String { "[data-event=\"\(id)\"] a" }
        try await anna.taps(
            event(edited.cancelled), "#cancel-event", until: "the question", "document.getElementById('cancel-reason')")
        try await anna.browser.type("Storm", into: "#cancel-reason")
        try await anna.taps(
            "#cancel-event-dialog [data-answer=yes]", until: "it is cancelled and waits",
            "document.getElementById('event-state')?.textContent.includes('Storm') && document.getElementById('event-waiting')"
        )
        try await anna.browser.script("history.back(); return true")
        try await anna.taps(
            event(edited.draft), "#delete-event", "#delete-event-dialog [data-answer=yes]", until: "the draft is gone",
            """
            document.querySelector('#events-waiting [data-waiting="\(edited.draft)"]')?.textContent.includes('Deleted. Waiting to be sent')
              && !document.querySelector('[data-event="\(edited.draft)"]')
            """)
    }

    // MARK: What the server has

    static func effects(of edited: Edited, session: Int64, conversation: Int64) -> [(String, Int64)] {
        func isClosed(_ other: Other) -> String {
            "chat_log WHERE kind = 'closed' AND conversation_id = \(other.conversation) AND $1 > 0"
        }
        let mute = "muted_until BETWEEN now() + interval '7 hours' AND now() + interval '8 hours'"
        return [
            ("sessions WHERE account_id = $1 AND id = \(session) AND audience = 'public'", 1),
            ("links WHERE id = \(edited.link) AND revoked_at IS NOT NULL AND $1 > 0", 1),
            ("searches WHERE account_id = $1 AND text = '\(Said.search)'", 0),
            ("searches WHERE account_id = $1", 1),
            ("visits WHERE account_id = $1", 0),
            ("private_zones WHERE account_id = $1", 1),
            ("private_zones WHERE account_id = $1 AND name = 'Cabin'", 1),
            ("zone_followers WHERE account_id = $1", 1),
            ("chat_log WHERE author_id = $1 AND kind = 'edited' AND target = \(edited.message)", 1),
            ("chat_log WHERE author_id = $1 AND kind = 'edited'", 1),
            ("chat_log WHERE author_id = $1 AND at_offset = \(edited.message) AND body = '\(Said.later)'", 1),
            ("retracted WHERE conversation_id = \(conversation) AND body = '\(Said.early)' AND $1 > 0", 1),
            ("chat_log WHERE author_id = $1 AND kind = 'reaction' AND is_on", 1),
            ("reactions WHERE account_id = $1 AND at_offset = \(edited.answered) AND emoji = '🔥'", 1),
            ("members WHERE account_id = $1 AND conversation_id = \(conversation) AND \(mute)", 1),
            ("conversations WHERE id = \(edited.group) AND name = 'Night owls' AND $1 > 0", 1),
            ("chat_log WHERE author_id = $1 AND kind = 'renamed'", 1),
            ("blocks WHERE blocker_id = $1 AND blocked_id = \(edited.blocked.account) AND is_on", 1),
            ("blocks WHERE blocker_id = $1 AND blocked_id = \(edited.unblocked) AND NOT is_on", 1),
            ("blocks WHERE blocker_id = $1", 2),
            ("buddies WHERE $1 IN (low_id, high_id)", 1),
            (isClosed(edited.blocked), 1), (isClosed(edited.removed), 1),
            ("events WHERE owner_id = $1 AND id = \(edited.cancelled) AND cancel_reason = 'Storm' AND revision = 1", 1),
            ("told WHERE event_id = \(edited.cancelled) AND news = 'cancelled' AND author_id = $1", 1),
            ("told WHERE event_id = \(edited.cancelled) AND $1 > 0", 1),
            ("events WHERE id = \(edited.draft) AND $1 > 0", 0),
        ]
    }
}
