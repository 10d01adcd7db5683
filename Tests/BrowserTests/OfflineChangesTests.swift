import CampanileClient
import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Wire

/// The kinds of changes that wait on the pages of history, privacy, reminders, chats and events: steps of the test that all are done once.
extension WebTracking.OfflineTests {
    /// What Anna changes without a network.
    struct Changed: Sendable {
        let renamed: Int64
        let deleted: Int64
        let zone: Int64
        let invitation: Int64
        let left: Int64
        let draft: Int64
        let message: Int64
        let conversation: Int64

        var paths: [String] {
            [
                "/history/\(renamed)", "/history/\(deleted)", "/settings/privacy", "/settings/notifications",
                "/chats/settings",
                "/chats", "/chats/\(left)", "/events/new", "/events/\(draft)",
            ]
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

    static func prepare(_ anna: Person, _ ben: Person, _ conversation: Int64) async throws -> Changed {
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
        return Changed(
            renamed: try await run(anna), deleted: try await run(anna), zone: zone.id, invitation: groups[0],
            left: groups[1],
            draft: try await nightRun(by: anna, .private, publish: false), message: try #require(message.offset),
            conversation: conversation)
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
        try await browser.reload()
        try await browser.wait(
            "also after a reload",
            "document.querySelector('h1').textContent === 'Tunnel loop' && document.getElementById('session-waiting')")
        try await browser.shots("offline-9-renamed-phone")
        // What cannot wait says so at once.
        try await browser.tap("#make-link")
        try await browser.wait(
            "it says so", within: .seconds(2),
            "document.querySelector('#share .problem').textContent.startsWith(\"You're offline\")")
        try await browser.go(origin + "/history/\(changed.deleted)")
        try await browser.tap("#delete")
        try await browser.tap("#delete-dialog [data-answer=yes]")
        try await browser.wait(
            "it is gone from the list",
            """
            document.querySelector('[data-session="\(changed.renamed)"]')?.textContent.includes('Tunnel loop')
              && !document.querySelector('[data-session="\(changed.deleted)"]') && document.getElementById('history-deletions').checkVisibility()
            """)
        try await browser.shots("offline-10-history-phone")
        try await browser.tap("#goal-reset")
        try await browser.tap("#goal-reset-dialog [data-answer=yes]")
        try await browser.wait(
            "the goal is reset",
            "document.getElementById('goal-distance')?.textContent.startsWith('0') && document.getElementById('goal-waiting')"
        )
    }

    private func changeSettings(_ anna: Person, _ changed: Changed) async throws {
        let (browser, origin) = (anna.browser, anna.page.origin)
        try await browser.go(origin + "/settings/privacy")
        try await browser.tap("label[for=privacy-visits]")
        try await browser.wait(
            "the switch waits", "document.querySelector('#privacy-shown .saved').dataset.state === 'waiting'")
        try await browser.tap("[aria-label='Delete Flat']")
        try await browser.tap("#delete-zone [data-answer=yes]")
        try await browser.wait("no zone", "document.getElementById('zones-empty').checkVisibility()")
        try await browser.reload()
        try await browser.wait(
            "also after a reload",
            "document.getElementById('privacy-visits')?.checked && document.querySelector('#privacy-shown .saved').dataset.state === 'waiting'"
        )
        try await browser.shots("offline-11-privacy-phone")
        try await browser.go(origin + "/settings/notifications")
        try await browser.tap("label[for=hides-text]")
        try await browser.tap("label[for=quiet-on]")
        try await browser.wait("both wait", "document.querySelectorAll('.saved[data-state=waiting]').length === 2")
        try await browser.go(origin + "/chats/settings")
        try await browser.tap("#setting-typing")
        try await browser.wait("it waits", "document.querySelector('.saved').dataset.state === 'waiting'")
    }

    private func changeChats(_ anna: Person, _ changed: Changed) async throws {
        let (browser, origin) = (anna.browser, anna.page.origin)
        try await browser.go(origin + "/chats")
        try await browser.tap("[data-invitation=\"\(changed.invitation)\"] [data-answer=accept]")
        try await browser.wait(
            "it is accepted", "document.querySelector('.invitation').textContent.includes('Accepted. Waiting')")
        try await browser.tap("#new-group")
        try await browser.type("Tunnel runners", into: "#group-name")
        try await browser.tap("#new-group-dialog-submit")
        try await browser.wait("the group waits", "document.querySelector('[data-waiting=\"Tunnel runners\"]')")
        try await browser.shots("offline-12-chats-phone")
        try await browser.go(origin + "/chats/\(changed.left)")
        try await browser.wait("the group", "document.getElementById('composer')?.checkVisibility()")
        try await browser.tap("#conversation-who")
        try await browser.tap("#leave-group")
        try await browser.tap("#leave-dialog [data-answer=yes]")
        try await browser.wait(
            "it is left",
            "!document.querySelector('[data-conversation=\"\(changed.left)\"]') && location.pathname === '/chats'")
        try await browser.go(origin + "/chats/\(changed.conversation)")
        try await anna.pressLong("Said too soon")
        try await browser.tap("#menu [data-action=delete]")
        try await browser.tap("#delete-dialog [data-answer=yes]")
        try await browser.wait(
            "the message is deleted",
            "document.getElementById('chat-waiting')?.textContent.includes('waiting to be sent') && !document.getElementById('messages').textContent.includes('Said too soon')"
        )
    }

    private func changeEvents(_ anna: Person, _ changed: Changed) async throws {
        let (browser, origin) = (anna.browser, anna.page.origin)
        try await browser.go(origin + "/events/\(changed.draft)/edit")
        try await browser.type("Late run", into: "#field-title")
        try await browser.tap("#publish")
        try await browser.wait(
            "it is changed and waits",
            "document.querySelector('h1').textContent === 'Late run' && document.getElementById('event-waiting')")
        try await browser.go(origin + "/events/new")
        try await browser.type("Tunnel walk", into: "#field-title")
        try await browser.type("Boathouse", into: "#field-place")
        try await browser.tap("#save-draft")
        try await browser.wait(
            "the new one waits", "document.getElementById('events-waiting')?.textContent.includes('Tunnel walk')")
        try await browser.reload()
        try await browser.wait(
            "also after a reload", "document.getElementById('events-waiting')?.textContent.includes('Tunnel walk')")
        try await browser.shots("offline-13-events-phone")
    }

    func expectMoreOnce(_ server: TestServer, _ account: Int64, _ changed: Changed) async throws {
        let own = PostgresValue.int(account)
        let expected: [(String, Int64)] = [
            ("sessions WHERE account_id = $1 AND id = \(changed.renamed) AND title = 'Tunnel loop'", 1),
            ("sessions WHERE account_id = $1 AND id = \(changed.deleted)", 0),
            ("goals WHERE account_id = $1 AND reset_at IS NOT NULL", 1),
            ("privacy_settings WHERE account_id = $1 AND visits", 1),
            ("private_zones WHERE account_id = $1", 0),
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
        for (query, number) in expected {
            #expect(try await count(server, query, own) == number, "\(query)")
        }
    }
}
