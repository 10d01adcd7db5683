import CampanileClient
import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Wire

/// The kinds of changes that wait on the pages of history, privacy, reminders, chats and events: steps of the test that all are done once.
extension WebTracking.OfflineTests {
    /// The objects that Anna changes without a network.
    struct Changed: Sendable {
        let renamed: Int64
        let deleted: Int64
        let zone: Int64
        let invitation: Int64
        let left: Int64
        let draft: Int64
        let message: Int64
        let conversation: Int64
        let edited: Edited

        var paths: [String] {
            [
                "/history/\(renamed)", "/history/\(deleted)", "/settings/privacy", "/settings/notifications",
                "/chats/settings",
                "/chats", "/chats/\(left)", "/events/new", "/events/\(draft)",
            ] + edited.paths
        }
    }

    /// An event that both see.
    static func nightRun(by host: Person, _ audience: EventAudience = .public, publish: Bool = true) async throws
        -> Int64
    {
        try await host.connection.call(
            EventsCreate.self,
            .init(
                id: UUID().uuidString, audience: audience,
                details: WebEvents.EventTests.details("Night run", inHours: 5), publish: publish)
        ).id
    }

    func prepare(_ server: TestServer, _ anna: Person, _ ben: Person, _ conversation: Int64) async throws -> Changed {
        let client = anna.connection
        let zone = try await client.call(
            PrivacySaveZone.self,
            .init(clientId: UUID().uuidString, name: "Flat", lat: 51.52, lon: 8.02, size: .small))
        var groups: [Int64] = []
        for name in ["Riders", "Swimmers"] {
            groups.append(
                try await ben.connection.call(
                    GroupCreate.self, .init(id: UUID().uuidString, name: name, invite: [anna.account])
                ).conversation)
        }
        _ = try await client.call(GroupAnswer.self, .init(conversation: groups[1], accept: true))
        let message = try await client.call(
            ChatSend.self,
            .init(conversation: conversation, id: UUID().uuidString.lowercased(), text: "Said too soon"))
        let renamed = try await Self.run(anna)
        return Changed(
            renamed: renamed, deleted: try await Self.run(anna), zone: zone.id, invitation: groups[0], left: groups[1],
            draft: try await Self.nightRun(by: anna, .private, publish: false), message: try #require(message.offset),
            conversation: conversation,
            edited: try await prepareEdits(server, anna, ben, conversation, session: renamed))
    }

    func changeMore(_ anna: Person, _ changed: Changed) async throws {
        try await changeSessions(anna, changed)
        try await changeSettings(anna, changed)
        try await changeChats(anna, changed)
        try await changeEvents(anna, changed)
    }

    private func changeSessions(_ anna: Person, _ changed: Changed) async throws {
        let (browser, origin) = (anna.browser, anna.page.origin)
        try await browser.go(origin + "/history/\(changed.renamed)")
        try await browser.tap("#rename")
        try await browser.type("Tunnel loop", into: "#rename-form [name=title]")
        try await browser.press(Browser.enter)
        try await browser.wait("the title waits", "document.getElementById('session-waiting')")
        try await changeSharing(anna, changed.edited)
        try await browser.reload()
        try await browser.wait(
            "also after a reload",
            "document.querySelector('h1').textContent === 'Tunnel loop' && document.getElementById('session-waiting') && \(Self.isShared(changed.edited))"
        )
        try await browser.shots("offline-9-renamed-phone")
        // What cannot wait says so at once.
        try await browser.tap("#make-link")
        try await browser.wait(
            "it says so",
            "document.querySelector('#share .problem').textContent.startsWith(\"You're offline\")")
        try await anna.taps(
            "#delete", "#delete-dialog [data-answer=yes]", at: "/history/\(changed.deleted)",
            until: "it is gone from the list",
            """
            document.querySelector('[data-session="\(changed.renamed)"]')?.textContent.includes('Tunnel loop')
              && !document.querySelector('[data-session="\(changed.deleted)"]') && document.getElementById('history-deletions').checkVisibility()
            """)
        try await browser.shots("offline-10-history-phone")
        try await anna.taps(
            "#goal-reset", "#goal-reset-dialog [data-answer=yes]", until: "the goal is reset",
            "document.getElementById('goal-distance')?.textContent.startsWith('0') && document.getElementById('goal-waiting')"
        )
    }

    private func changeSettings(_ anna: Person, _ changed: Changed) async throws {
        let browser = anna.browser
        let isSwitchWaiting = "document.querySelector('#privacy-shown .saved').dataset.state === 'waiting'"
        try await anna.taps(
            "label[for=privacy-residences]", at: "/settings/privacy", until: "the switch waits", isSwitchWaiting)
        try await anna.taps(
            "[aria-label='Delete Flat']", "#delete-zone [data-answer=yes]", until: "no zone",
            "document.getElementById('zones-empty').checkVisibility()")
        try await addZone(anna)
        try await browser.reload()
        try await browser.wait(
            "also after a reload",
            "document.getElementById('privacy-residences')?.checked && \(isSwitchWaiting) && \(Self.isZoneWaiting)")
        try await browser.shots("offline-11-privacy-phone")
        try await anna.taps(
            "label[for=hides-text]", "label[for=quiet-on]", "#zones [data-zone]", at: "/settings/notifications",
            until: "all wait", "document.querySelectorAll('.saved[data-state=waiting]').length === 3")
    }

    private func changeChats(_ anna: Person, _ changed: Changed) async throws {
        let browser = anna.browser
        try await anna.taps(
            "[data-invitation=\"\(changed.invitation)\"] [data-answer=accept]", at: "/chats", until: "it is accepted",
            "document.querySelector('.invitation').textContent.includes('Accepted. Waiting')")
        try await browser.tap("#new-group")
        try await browser.type("Tunnel runners", into: "#group-name")
        try await anna.taps(
            "#new-group-dialog-submit", until: "the group waits",
            "document.querySelector('[data-waiting=\"Tunnel runners\"]')")
        try await browser.shots("offline-12-chats-phone")
        try await changePeople(anna, changed.edited)
        try await anna.taps(
            "#setting-typing", until: "it waits", "document.querySelector('.saved').dataset.state === 'waiting'")
        try await browser.shots("offline-14-blocked-phone")
        try await anna.taps(
            "#conversation-who", "#leave-group", "#leave-dialog [data-answer=yes]", at: "/chats/\(changed.left)",
            until: "it is left",
            "!document.querySelector('[data-conversation=\"\(changed.left)\"]') && location.pathname === '/chats'")
        try await browser.go(anna.page.origin + "/chats/\(changed.conversation)")
        try await changeMessages(anna)
        try await anna.pressLong("Said too soon")
        let waits = "document.getElementById('chat-waiting')?.textContent.startsWith('4 changes to this chat: waiting')"
        try await anna.taps(
            "#menu [data-action=delete]", "#delete-dialog [data-answer=yes]", until: "the message is deleted",
            "\(waits) && !document.getElementById('messages').textContent.includes('Said too soon')")
        try await browser.reload()
        try await browser.wait("also after a reload", "\(waits) && \(Self.areMessagesChanged)")
        try await browser.shots("offline-15-messages-phone")
    }

    private func changeEvents(_ anna: Person, _ changed: Changed) async throws {
        let (browser, origin) = (anna.browser, anna.page.origin)
        try await browser.go(origin + "/events/\(changed.draft)/edit")
        try await browser.type("Late run", into: "#field-title")
        try await anna.taps(
            "#publish", until: "it is changed and waits",
            "document.querySelector('h1').textContent === 'Late run' && document.getElementById('event-waiting')")
        try await browser.go(origin + "/events/new")
        try await browser.type("Tunnel walk", into: "#field-title")
        try await browser.type("Boathouse", into: "#field-place")
        let isWaiting = "document.getElementById('events-waiting')?.textContent.includes('Tunnel walk')"
        try await anna.taps("#save-draft", until: "the new one waits", isWaiting)
        try await endEvents(anna, changed.edited)
        try await browser.reload()
        try await browser.wait(
            "also after a reload",
            "\(isWaiting) && document.querySelector('#events-waiting [data-waiting=\"\(changed.edited.draft)\"]')")
        try await browser.shots("offline-13-events-phone")
    }

    func expectMoreOnce(_ server: TestServer, _ account: Int64, _ changed: Changed) async throws {
        let own = PostgresValue.int(account)
        let expected: [(String, Int64)] = [
            ("sessions WHERE account_id = $1 AND id = \(changed.renamed) AND title = 'Tunnel loop'", 1),
            ("sessions WHERE account_id = $1 AND id = \(changed.deleted)", 0),
            ("goals WHERE account_id = $1 AND reset_at IS NOT NULL", 1),
            ("privacy_settings WHERE account_id = $1 AND residences", 1),
            ("reminder_settings WHERE account_id = $1 AND hides_text", 1),
            ("quiet_hours WHERE account_id = $1", 1),
            ("chat_settings WHERE account_id = $1 AND NOT sends_typing AND sends_read", 1),
            ("members WHERE account_id = $1 AND conversation_id = \(changed.invitation) AND state = 'joined'", 1),
            ("chat_log WHERE author_id = $1 AND conversation_id = \(changed.invitation) AND kind = 'joined'", 1),
            ("members WHERE account_id = $1 AND conversation_id = \(changed.left) AND state = 'left'", 1),
            ("chat_log WHERE author_id = $1 AND conversation_id = \(changed.left) AND kind = 'left'", 1),
            ("conversations WHERE created_by = $1 AND name = 'Tunnel runners'", 1),
            ("chat_log WHERE author_id = $1 AND kind = 'deleted' AND conversation_id = \(changed.conversation)", 1),
            ("events WHERE owner_id = $1 AND title = 'Late run' AND state = 'published'", 1),
            ("events WHERE owner_id = $1 AND title = 'Tunnel walk' AND state = 'draft'", 1),
        ]
        let edits = Self.effects(of: changed.edited, session: changed.renamed, conversation: changed.conversation)
        for (query, number) in expected + edits {
            #expect(try await count(server, query, own) == number, "\(query)")
        }
    }
}
