import Foundation
import TestSupport
import Testing
import Wire

@Suite("Sharing with a buddy by their account")
struct SharingBuddyTests {
    @Test(
        "A buddy is shared with and asked by account; of a stranger's account nothing is told, not even that it is one")
    func account() async throws {
        let server = try await TestServer.start()
        let anna = try await ChatPerson(server, lastName: "Berger")
        let ben = try await ChatPerson(server, lastName: "Castro")
        let stranger = try await ChatPerson(server)
        try await anna.match(ben)
        let begun = try await anna.client.call(
            SharingStart.self,
            .init(clientId: UUID().uuidString, audience: .person, account: ben.id, precision: .zone, expiresIn: 600))
        #expect(begun.share.person?.username == ben.username)
        #expect(
            try await ben.client.call(SharingWithMe.self, .init()).shares.map(\.person.username) == [anna.username])
        let question = try await anna.client.call(
            SharingAsk.self, .init(clientId: UUID().uuidString, account: ben.id))
        #expect(question.request.to.username == ben.username)

        for account in [stranger.id, anna.id, 999_999] {
            let refused = try await anna.client.ask(
                "sharing.start",
                #"{"clientId":"\#(UUID())","audience":"person","account":\#(account),"precision":"exact","expiresIn":600}"#
            )
            #expect(refused.contains("there is no such buddy of yours"), "\(refused)")
            let notAsked = try await anna.client.ask(
                "sharing.ask", #"{"clientId":"\#(UUID())","account":\#(account)}"#)
            #expect(notAsked.contains("there is no such buddy of yours"), "\(notAsked)")
        }
        for wrong in [
            #""audience":"person","account":\#(ben.id),"username":"\#(ben.username)""#,
            #""audience":"campus","account":\#(ben.id)"#, #""audience":"person""#,
        ] {
            let refused = try await anna.client.ask(
                "sharing.start", #"{"clientId":"\#(UUID())",\#(wrong),"precision":"exact","expiresIn":600}"#)
            #expect(refused.contains("invalidParams"), "\(refused)")
        }
        for person in [anna, ben, stranger] { person.client.close() }
        await server.stop()
    }
}
