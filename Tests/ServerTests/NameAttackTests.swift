import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

/// People who try to learn more of somebody than the relation of the two gives (the Matching article, Shown names).
@Suite("Names and invitations, tried as an attacker would")
struct NameAttackTests {
    private func event(by host: ChatPerson, _ audience: EventAudience) async throws -> Event {
        let details = EventDetails(
            title: "Run", startsAt: Timestamp.now.advanced(bySeconds: 7_200), duration: 3_600,
            place: EventPlace(name: "Track"))
        return try await host.client.call(
            EventsCreate.self, .init(id: UUID().uuidString, audience: audience, details: details, publish: true))
    }

    @Test(
        "A stranger sees the host of a public event by username alone: no name, gender or picture, in no list, and the host sees no more of the stranger"
    )
    func strangerHost() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let host = try await ChatPerson(server, lastName: "Lindqvist")
        let stranger = try await ChatPerson(server, lastName: "Quimby")
        let event = try await event(by: host, .public)
        let seen = try await stranger.client.call(EventsGet.self, .init(event: event.id))
        #expect(seen.owner == Person(account: host.id, name: host.username, gender: nil, picture: nil))
        _ = try await stranger.client.call(EventsList.self, .init())
        _ = try await stranger.client.call(EventsAnswer.self, .init(event: event.id, answer: .going))
        let guests = try await stranger.client.call(EventsPeople.self, .init(event: event.id)).people
        #expect(guests.map(\.person.account) == [stranger.id])
        #expect(stranger.client.frames.allSatisfy { !$0.contains("Lindqvist") && !$0.contains("Vera L") })
        let people = try await host.client.call(EventsPeople.self, .init(event: event.id)).people
        #expect(people.map(\.person.name).sorted() == [stranger.username, "Vera Lindqvist"].sorted())
        #expect(people.filter { $0.person.account == stranger.id }.allSatisfy { $0.person.gender == nil })
        await server.stop()
    }

    @Test("A person has one name in chats, groups, shares, events and on the map, by the relation of the two")
    func oneName() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let mia = try await ChatPerson(server, lastName: "Berg")
        let (buddy, mate) = (
            try await ChatPerson(server, lastName: "Aster"), try await ChatPerson(server, lastName: "Birch")
        )
        let stranger = try await ChatPerson(server, lastName: "Cedar")
        try await mia.match(buddy)
        try await buddy.match(mate)
        let group = try await buddy.makeGroup("Runners", with: [mia, mate])
        for one in [mia, mate] { try await one.join(group) }
        let event = try await event(by: mia, .public)
        for audience in [.person, .group] as [ShareAudience] {
            _ = try await mia.client.call(
                SharingStart.self,
                .init(
                    clientId: UUID().uuidString, audience: audience,
                    username: audience == .person ? buddy.username : nil,
                    group: audience == .group ? group : nil, precision: .campus, expiresIn: 600))
        }
        func names(_ viewer: ChatPerson) async throws -> Set<String> {
            var names: Set<String> = []
            if let host = try await viewer.client.call(EventsGet.self, .init(event: event.id)).owner {
                names.insert(host.name)
            }
            let known = try await viewer.client.call(PeopleKnown.self, Empty()).people
            for one in known where one.account == mia.id {
                names.insert(one.name)
                #expect(one.username == mia.username && one.gender == .female)
            }
            for conversation in try await viewer.client.call(ChatList.self, Empty()).conversations {
                let members = try await viewer.client.call(
                    ChatConversation.self, .init(conversation: conversation.id)
                ).members
                names.formUnion(members.filter { $0.person.account == mia.id }.map(\.person.name))
            }
            // A share with a group is told to all of it in the same bytes: clients show the name of `people.known`.
            for share in try await viewer.client.call(SharingWithMe.self, .init()).shares
            where share.person.account == mia.id && share.audience == .person { names.insert(share.person.name) }
            return names
        }
        #expect(try await names(mia) == ["Vera Berg"])
        #expect(try await names(buddy) == ["Vera Berg"])
        #expect(try await names(mate) == ["Vera B."])
        #expect(try await names(stranger) == [mia.username])

        // A block ends what is known, and the name of who was met stays the short one.
        _ = try await mia.client.call(SafetyBlock.self, .init(account: mate.id))
        let left = try await mate.client.call(PeopleKnown.self, Empty()).people
        #expect(!left.contains { $0.account == mia.id } && left.contains { $0.account == buddy.id })
        await server.stop()
    }

    @Test(
        "The answer to an invitation is the same whether somebody in the group blocks the host, was invited before, or not"
    )
    func invitationAndBlock() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let host = try await ChatPerson(server, lastName: "Host")
        let (victim, other) = (
            try await ChatPerson(server, lastName: "Victim"), try await ChatPerson(server, lastName: "Other")
        )
        for one in [victim, other] { try await host.match(one) }
        let group = try await host.makeGroup("Runners", with: [victim, other])
        for one in [victim, other] { try await one.join(group) }
        let event = try await event(by: host, .private)
        func invite() async throws -> String {
            try await host.client.ask("events.invite", #"{"event":\#(event.id),"groups":[\#(group)]}"#)
        }
        func preview() async throws -> String {
            try await host.client.ask("notices.preview", #"{"audience":{"kind":"event","event":\#(event.id)}}"#)
        }
        let (first, reach) = (try await invite(), try await preview())
        #expect(try await invite() == first && first.contains(#""invited":2"#))
        _ = try await victim.client.call(SafetyBlock.self, .init(account: host.id))
        #expect(try await invite() == first)
        #expect(try await preview() == reach)
        await server.stop()
    }
}
