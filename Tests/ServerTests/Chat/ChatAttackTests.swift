import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

/// People who try to read what a conversation or a report keeps from them.
@Suite("Chats and reports, tried as an attacker would")
struct ChatAttackTests {
    @Test(
        "Who joins a group learns nothing of what was sent before: no edit, no deletion, no reaction, live or recovered"
    )
    func joinedLater() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (anna, ben) = (
            try await ChatPerson(server, lastName: "Aster"), try await ChatPerson(server, lastName: "Birch")
        )
        let late = try await ChatPerson(server, lastName: "Cedar")
        for other in [ben, late] { try await anna.match(other) }
        let group = try await anna.makeGroup("Runners", with: [ben])
        try await ben.join(group)
        let (edited, deleted) = (
            try await anna.send("secret one", in: group), try await anna.send("secret two", in: group)
        )
        _ = try await anna.client.call(GroupInvite.self, .init(conversation: group, accounts: [late.id]))
        try await late.join(group)
        let start = try await late.client.call(ChatHistory.self, .init(conversation: group))
        _ = try await late.client.ask("subscribe", #"{"topic":"chat/\#(group)"}"#)
        _ = try await ben.client.ask("subscribe", #"{"topic":"chat/\#(group)"}"#)

        _ = try await anna.client.call(ChatEdit.self, .init(conversation: group, message: edited, text: "secret new"))
        _ = try await ben.client.call(
            ChatReact.self, .init(conversation: group, message: edited, emoji: .fire, on: true))
        _ = try await anna.client.call(ChatDelete.self, .init(conversation: group, message: deleted))
        let own = try await anna.send("for everybody", in: group)
        _ = try await anna.client.call(ChatEdit.self, .init(conversation: group, message: own, text: "for all"))
        for person in [ben, late] {
            _ = try await eventually("all of it came") {
                person.client.events(of: group).last?.event.text == "for all" ? true : nil
            }
        }
        #expect(ben.client.events(of: group).contains { $0.event.text == "secret new" })
        let live = late.client.events(of: group).suffix(5).map(\.event.type)
        #expect(live == [.hidden, .hidden, .hidden, .message, .edited], "offsets stay without gaps")

        // By another device that comes back, with everything since it joined.
        let device = try await ChatClient(server, token: late.token)
        let since = #"{"topic":"chat/\#(group)","since":{"epoch":\#(start.epoch),"offset":\#(start.head)}}"#
        #expect(try await device.ask("subscribe", since).contains(#""recovered":true"#))
        #expect(device.events(of: group).map(\.event.type) == [.hidden, .hidden, .hidden, .message, .edited])
        _ = try await device.call(ChatHistory.self, .init(conversation: group, limit: 100))
        for client in [late.client, device] { #expect(client.frames.allSatisfy { !$0.contains("secret") }) }
        await server.stop()
    }

    @Test("An admin neither reads, counts nor closes a report about themselves, nor is told of it; another admin does")
    func ownReport() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let reporter = try await ChatPerson(server, lastName: "Witness")
        let accused = try await ChatPerson(server, lastName: "Accused")
        let conversation = try await reporter.match(accused)
        let message = try await accused.send("harassing words", in: conversation)
        let database = try await server.database()
        _ = try await database.query("UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(accused.id)])
        database.close()
        let (admin, judge) = (try await ChatClient(server, token: accused.token), try await Official(server, .admin))
        for client in [admin, judge.client] {
            let account = client === admin ? accused.id : judge.id
            _ = try await client.ask("subscribe", #"{"topic":"user/\#(account)"}"#)
        }
        func outlets() async throws -> [String] {
            let own = try await admin.call(AdminUserGet.self, .init(account: accused.id))
            let witness = try await admin.call(AdminUserGet.self, .init(account: reporter.id))
            return [
                try await admin.ask("reports.list"), try await admin.ask("reports.list", #"{"closed":true}"#),
                try await admin.ask("admin.audit", #"{"action":"report."}"#),
                "\(own.reportsAbout) \(own.openReportsAbout) \(witness.reportsBy)",
            ]
        }
        let before = try await outlets()
        let report = try await reporter.client.call(
            SafetyReport.self,
            .init(
                id: UUID().uuidString, account: accused.id, reason: .harassment, conversation: conversation,
                messages: [message])
        ).report
        _ = try await eventually("the other admin is told") {
            judge.client.signals.contains { $0.type == .report } ? true : nil
        }
        #expect(try await outlets() == before)
        #expect(!admin.signals.contains { $0.type == .report })
        func close(_ number: Int64, _ resolution: String) async throws -> String {
            try await admin.ask("reports.close", #"{"report":\#(number),"resolution":"\#(resolution)"}"#)
        }
        let absent = try await close(999_999, "nothing")
        #expect(try await close(report, "nothing") == absent && absent.contains("1003"))
        #expect(try await judge.client.call(AdminUserGet.self, .init(account: reporter.id)).reportsBy == 1)
        let seen = try await judge.client.call(ReportsList.self, .init())
        #expect(seen.reports.map(\.id) == [report] && seen.open == 1)
        _ = try await judge.client.call(ReportsClose.self, .init(report: report, resolution: "warned"))
        #expect(try await outlets() == before)
        #expect(try await close(report, "warned") == absent, "not even by the right words")
        await server.stop()
    }
}
