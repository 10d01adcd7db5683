import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Pictures that were replaced or deleted")
struct PictureVisibilityTests {
    /// The answer's status for the picture and for its thumbnail.
    private func statuses(_ picture: String, for person: ChatPerson, _ server: TestServer) async throws -> [Int] {
        var statuses: [Int] = []
        for path in ["/pictures/\(picture)", "/pictures/\(picture)/thumb"] {
            let socket = try RawSocket(port: server.port)
            defer { socket.close() }
            try await socket.send(
                Array("GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(person.token)\r\n\r\n".utf8))
            statuses.append(try await socket.response().status)
        }
        return statuses
    }

    @Test(
        "Of a profile others get the picture that it shows: not one that is not saved yet, and not one that was replaced"
    )
    func profile() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (vera, otto) = (
            try await ChatPerson(server, lastName: "Vera"), try await ChatPerson(server, lastName: "Otto")
        )
        try await vera.match(otto)
        let bytes = try TestPicture.make("jpg", width: 40, height: 30)
        let first = try await vera.upload(bytes, to: server, purpose: "profile")
        #expect(try await statuses(first, for: otto, server) == [404, 404])
        try await vera.saveBuddyProfile(picture: first)
        #expect(try await statuses(first, for: otto, server) == [200, 200])
        let second = try await vera.upload(bytes, to: server, purpose: "profile")
        #expect(try await statuses(second, for: vera, server) == [200, 200], "to look at it before it is saved")
        #expect(try await statuses(second, for: otto, server) == [404, 404])
        #expect(try await statuses(first, for: otto, server) == [200, 200])
        try await vera.saveBuddyProfile(picture: second)
        #expect(try await statuses(second, for: otto, server) == [200, 200])
        for person in [otto, vera] { #expect(try await statuses(first, for: person, server) == [404, 404]) }
        // Nor is one kept that no profile shows.
        try await vera.saveBuddyProfile()
        #expect(try await statuses(second, for: vera, server) == [404, 404])
        await server.stop()
    }

    @Test(
        "A picture that was deleted before it was reported is fetched by admins, as long as the report is open, and by nobody else"
    )
    func evidence() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (anna, otto, admin) = (
            try await ChatPerson(server, lastName: "A"), try await ChatPerson(server, lastName: "O"),
            try await ChatPerson(server)
        )
        let database = try await server.database()
        _ = try await database.query("UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(admin.id)])
        database.close()
        let conversation = try await anna.match(otto)
        let picture = try await otto.upload(try TestPicture.make("jpg", width: 40, height: 30), to: server)
        let message = try await otto.send(nil, in: conversation, picture: picture)
        _ = try await otto.client.call(ChatDelete.self, .init(conversation: conversation, message: message))
        // The sender could tell from a picture that stays that it was reported.
        for person in [admin, otto] { #expect(try await statuses(picture, for: person, server) == [404, 404]) }
        _ = try await anna.client.call(
            SafetyReport.self,
            .init(
                id: UUID().uuidString, account: otto.id, reason: .harassment, conversation: conversation,
                messages: [message]))
        let client = try await ChatClient(server, token: admin.token)
        let report = try #require(try await client.call(ReportsList.self, .init()).reports.first)
        #expect(report.evidence.map(\.picture) == [picture] && report.evidence.map(\.deleted) == [true])
        #expect(try await statuses(picture, for: admin, server) == [200, 200])
        for person in [anna, otto] { #expect(try await statuses(picture, for: person, server) == [404, 404]) }
        _ = try await client.call(ReportsClose.self, .init(report: report.id, resolution: "Talked to him"))
        #expect(try await statuses(picture, for: admin, server) == [404, 404])
        await server.stop()
    }
}
