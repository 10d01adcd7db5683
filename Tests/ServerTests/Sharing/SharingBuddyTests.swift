import Foundation
import TestSupport
import Testing
import Wire

@Suite("Sharing with a buddy by their account")
struct SharingBuddyTests {
    @Test(
        "Strangers see each other's usernames, members of a group the short name, buddies the full one: in shares, receipts and questions"
    )
    func names() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let anna = stage.owner
        let ben = try await ChatPerson(server, lastName: "Castro")
        try await anna.introduce("Berger")
        try await stage.report()
        struct Watched: Decodable { let result: Subscribed<ShareSnapshot> }
        /// Everything in which one is named to the other: what Anna is called, and what Ben is.
        let names = { @Sendable () async throws -> (anna: Set<String>, ben: Set<String>) in
            let share = try await stage.start(.person, with: ben).share
            let received = try await ben.client.watch(share: share.id)
            let snapshot = try WireJSON.decode(Watched.self, from: Array(received.utf8)).result
            let withBen = try await ben.client.call(SharingWithMe.self, .init()).shares.map(\.person.name)
            let question = try await anna.client.call(
                SharingAsk.self, .init(clientId: UUID().uuidString, username: ben.username)
            ).request
            let asked = try await ben.client.call(SharingRequests.self, .init()).toMe.map(\.from.name)
            let receipt = try await stage.stop(share.id)
            let past = try await anna.client.call(SharingPast.self, .init()).shares.compactMap(\.person?.name)
            return (
                Set(withBen + asked + [snapshot.snapshot.share.person.name]),
                Set(past + receipt.watches.compactMap(\.person?.name) + [share.person?.name ?? "", question.to.name])
            )
        }
        let strangers = try await names()
        #expect(strangers.anna == [anna.username] && strangers.ben == [ben.username])
        let group = try await anna.makeGroup("Runners", with: [])
        let database = try await server.database()
        _ = try await database.query(
            """
            INSERT INTO members (conversation_id, account_id, role, state, since) VALUES ($1, $2, 'member', 'joined', now())
            """, [.int(group), .int(ben.id)])
        let share = try await stage.start(.group, group: group).share
        #expect(try await ben.client.call(SharingWithMe.self, .init()).shares.map(\.person.name) == ["Vera B."])
        try await ben.client.watch(share: share.id)
        #expect(try await stage.stop(share.id).watches.map(\.person?.name) == ["Vera C."])
        _ = try await database.query("UPDATE members SET state = 'left' WHERE account_id = $1", [.int(ben.id)])
        database.close()
        #expect(try await names().anna == ["Vera B."], "who was in a group stays known")
        try await anna.match(ben)
        let buddies = try await names()
        #expect(buddies.anna == ["Vera Berger"] && buddies.ben == ["Vera Castro"])
        // By a link and on the map the username is all there is.
        let link = try await stage.start(.link)
        let seen = try await ben.client.watch(share: link.share.id, token: link.token)
        #expect(seen.contains("\"name\":\"\(anna.username)\"") && !seen.contains("Vera"))
        await server.stop()
    }

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
