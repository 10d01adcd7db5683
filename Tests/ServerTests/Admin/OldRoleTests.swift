import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

/// A connection goes on for a moment with the role it came with. Here nobody tells it at all, so that the moment lasts.
@Suite("Admins and events: a role that was taken while a socket is open")
struct OldRoleTests {
    private func details(_ title: String) -> EventDetails {
        EventDetails(
            title: title, startsAt: Timestamp.now.advanced(bySeconds: 90_000), duration: 3_600,
            place: EventPlace(name: "Hall"))
    }

    private func set(_ who: Official, _ change: String, _ server: TestServer) async throws {
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query("UPDATE accounts SET \(change) WHERE id = $1", [.int(who.id)])
    }

    @Test(
        "Once the role is taken, what the open socket sends at once is decided by the new one: no campus event, no notice, no correction, no withdrawal, nothing in the audit log",
        arguments: ["role = 'student'", "disabled_at = now()"])
    func taken(change: String) async throws {
        let server = try await Shared.server
        let (admin, lecturer) = (try await Official(server, .admin), try await Official(server, .lecturer))
        let event = try await lecturer.client.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .campus, details: details("Lecture"), publish: true))
        let notice = try await lecturer.client.call(
            NoticesPublish.self, .init(id: UUID().uuidString, audience: .campus, title: "Room 12"))
        let before = try await admin.client.call(AdminAudit.self, .init()).entries.count
        // It was an admin a moment ago, and its socket does not know better.
        let former = try await Official(server, .admin)
        #expect(try await former.client.refusal(AdminUsers.self, .init()) == nil)
        try await set(former, change, server)
        var other = event.details
        other.title = "Taken over"
        let refusals = [
            try await former.client.refusal(
                EventsCreate.self,
                .init(id: UUID().uuidString, audience: .campus, details: details("Mine"), publish: true)),
            try await former.client.refusal(
                EventsUpdate.self, .init(event: event.id, revision: event.revision, details: other)),
            try await former.client.refusal(EventsCancel.self, .init(event: event.id, reason: "No")),
            try await former.client.refusal(
                NoticesPublish.self,
                .init(id: UUID().uuidString, audience: .campus, title: "Fire", level: .emergency)),
        ]
        #expect(refusals.map { $0?.code } == [1002, 1002, 1002, 1002])
        for refusal in [
            try await former.client.refusal(
                NoticesCorrect.self,
                .init(notice: notice.notice.number, revision: notice.notice.revision, title: "Room 13")),
            try await former.client.refusal(NoticesWithdraw.self, .init(notice: notice.notice.number)),
        ] {
            // To a student somebody else's notice does not exist.
            #expect(refusal?.code == (change.hasPrefix("role") ? 1003 : 1002))
        }
        #expect(try await former.client.refusal(NoticesStatus.self, .init(notice: notice.notice.number))?.code == 1003)
        #expect(try await former.client.call(NoticesSent.self, .init()).notices.isEmpty)
        let seen = try await lecturer.client.call(EventsGet.self, .init(event: event.id))
        #expect(seen.state == .published && seen.revision == event.revision && seen.details.title == "Lecture")
        let status = try await lecturer.client.call(NoticesStatus.self, .init(notice: notice.notice.number))
        #expect(status.state == .published && status.notice.title == "Room 12" && status.notice.revision == 1)
        let entries = try await admin.client.call(AdminAudit.self, .init()).entries
        #expect(!entries.prefix(entries.count - before).contains { $0.actorName == former.username })
    }

    @Test(
        "Who is a lecturer no more still cancels their own campus event, and withdraws their own notice, and does no more"
    )
    func own() async throws {
        let server = try await Shared.server
        let lecturer = try await Official(server, .lecturer)
        let event = try await lecturer.client.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .campus, details: details("Lecture"), publish: true))
        let notice = try await lecturer.client.call(
            NoticesPublish.self, .init(id: UUID().uuidString, audience: .campus, title: "Room 12"))
        try await set(lecturer, "role = 'student'", server)
        #expect(
            try await lecturer.client.refusal(
                EventsUpdate.self, .init(event: event.id, revision: event.revision, details: details("Anew")))?.code
                == 1002)
        #expect(
            try await lecturer.client.refusal(
                NoticesCorrect.self, .init(notice: notice.notice.number, revision: 1, title: "Room 13"))?.code == 1002)
        let cancelled = try await lecturer.client.call(EventsCancel.self, .init(event: event.id, reason: nil))
        #expect(cancelled.state == .cancelled)
        let withdrawn = try await lecturer.client.call(
            NoticesWithdraw.self, .init(notice: notice.notice.number))
        #expect(withdrawn.state == .withdrawn)
    }
}
