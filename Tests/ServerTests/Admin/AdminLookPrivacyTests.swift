import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

/// Finding E10: what an admin learns of somebody's runs.
@Suite("Runs in hidden places, looked for by an admin")
struct AdminLookPrivacyTests {
    @Test(
        "A private run, and one inside a private zone, change nothing that admin.user answers; each look is in the audit log"
    )
    func hiddenRuns() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let admin = try await Official(server, .admin)
        let (connection, account) = try await server.register()
        let id = account.account.id
        func look() async throws -> String {
            let answer = try await admin.client.call(AdminUserGet.self, .init(account: id))
            return "\(answer.sessions) \(answer.tracking)"
        }
        let before = try await look()
        _ = try await connection.call(PrivacySettingsSave.self, .init(residences: true))
        _ = try await connection.call(
            PrivacySaveZone.self, .init(clientId: UUID().uuidString, name: "Home", lat: 45, lon: 12, size: .small))
        for (audience, lat) in [(Audience.private, 45.5), (.campus, 45.0), (.public, 45.0)] {
            let session = try await connection.call(
                TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, audience: audience)
            ).session
            let points = (1...5).map { seq in
                TrackPoint(
                    seq: Int64(seq), lat: lat, lon: 12, time: session.startedAt.advanced(bySeconds: Double(seq) / 10),
                    accuracy: 5)
            }
            _ = try await connection.call(TrackingPoints.self, .init(session: session.id, points: points))
            #expect(try await look() == before, "\(audience)")
            _ = try await connection.call(TrackingStop.self, .init(session: session.id))
            #expect(try await look() == before, "\(audience)")
        }
        let audit = try await admin.client.call(AdminAudit.self, .init(action: "user.view"))
        #expect(
            audit.entries.count == 7
                && audit.entries.allSatisfy { $0.subject?.id == id && $0.actorName == admin.username })
        await connection.close()
        await server.stop()
    }

    @Test("The figures count the runs that the map shows to everybody, and no private ones")
    func figures() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let admin = try await Official(server, .admin)
        let hidden = try await TestRun(on: server, audience: .private)
        try await hidden.run(3)
        let shown = try await TestRun(on: server, audience: .campus)
        try await shown.run(3)
        let tracking = try await eventually("the run that is shown is counted") {
            let figures = try await admin.client.call(AdminFiguresGet.self, Empty())
            return figures.tracking > 0 ? figures.tracking : nil
        }
        #expect(tracking == 1)
        await server.stop()
    }
}
