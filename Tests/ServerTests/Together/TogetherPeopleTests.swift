import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

@Suite("People of live groups: events, large conversations, blocks between strangers")
struct TogetherPeopleTests {
    /// An event of `owner` with these answers.
    private func event(_ owner: ChatPerson, _ answers: [(ChatPerson, EventAnswer)]) async throws -> Int64 {
        let details = EventDetails(
            title: "Run", description: nil, workout: nil, startsAt: Timestamp.now.advanced(bySeconds: 7_200),
            duration: 3_600, place: EventPlace(name: "Old Gym"))
        let event = try await owner.client.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .public, details: details, publish: true)
        ).id
        for (person, answer) in answers {
            _ = try await person.client.call(EventsAnswer.self, .init(event: event, answer: answer))
        }
        return event
    }

    private func create(_ stage: GroupStage, event: Int64) async throws -> String {
        try await stage.host.client.ask(
            "together.create",
            #"{"id":"\#(stage.group)","workout":"\#(stage.workout)","event":\#(event),"sharesZone":false}"#)
    }

    @Test("The owner of an event invites all who take part, and none learns of the others before joining")
    func ownEvent() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let server = stage.server
        let (one, two, no, blocked) = (
            try await ChatPerson(server), try await ChatPerson(server), try await ChatPerson(server),
            try await ChatPerson(server)
        )
        let event = try await event(
            stage.host, [(one, .going), (two, .maybe), (no, .no), (blocked, .going)])
        _ = try await blocked.client.call(SafetyBlock.self, .init(account: stage.host.id))
        let created = try await stage.host.client.call(
            TogetherCreate.self,
            .init(id: stage.group, workout: stage.workout, event: event, sharesZone: false))
        #expect(created.event == event)
        #expect(created.members.map(\.username) == [stage.host.username, one.username, two.username])

        func seen(_ person: ChatPerson) async throws -> LiveGroup? {
            try await person.client.call(TogetherList.self, Empty()).groups.first { $0.id == stage.group }
        }
        // Before the answer, and after a refusal.
        #expect(try await seen(one)?.members.map(\.username) == [stage.host.username, one.username])
        #expect(try await seen(one)?.participants == 1)
        _ = try await two.client.call(TogetherLeave.self, .init(group: stage.group))
        #expect(try await seen(two)?.members.map(\.username) == [stage.host.username, two.username])
        for person in [no, blocked] { #expect(try await seen(person) == nil) }
        #expect(
            !one.client.frames.joined().contains(two.username) && !two.client.frames.joined().contains(one.username))

        // A member sees who takes part, and the host everybody.
        let third = try await ChatPerson(server)
        #expect(try await stage.join(one).group.members.map(\.username) == [stage.host.username, one.username])
        _ = try await stage.watch(one.client)
        try await stage.join(two)
        try await stage.waitFor("the other joins", one.client) { $0[two.username]?.state == .joined }
        _ = try await two.client.call(TogetherLeave.self, .init(group: stage.group))
        try await stage.waitFor("the other leaves", one.client) { $0[two.username] == nil }
        #expect(try await seen(stage.host)?.members.map(\.state) == [.joined, .joined, .left])
        #expect(try await seen(third) == nil)
    }

    @Test(
        "A participant who does not own the event invites its buddies alone; other events are as if they did not exist")
    func foreignEvent() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let owner = try await ChatPerson(stage.server)
        let (buddy, stranger) = (try await stage.buddy(), try await ChatPerson(stage.server))
        let event = try await event(owner, [(stage.host, .going), (buddy, .going), (stranger, .going)])
        let created = try await stage.host.client.call(
            TogetherCreate.self,
            .init(id: stage.group, workout: stage.workout, event: event, sharesZone: false))
        #expect(created.members.map(\.username) == [stage.host.username, buddy.username])

        let outsider = try await GroupStage(stage.server)
        let absent = try await create(outsider, event: 999_999_999)
        #expect(absent.contains("1003"))
        // Without an answer, and after a refusal.
        #expect(try await create(outsider, event: event) == absent)
        _ = try await outsider.host.client.call(EventsAnswer.self, .init(event: event, answer: .no))
        #expect(try await create(outsider, event: event) == absent)
        // Behind a block of the owner.
        _ = try await outsider.host.client.call(EventsAnswer.self, .init(event: event, answer: .going))
        _ = try await owner.client.call(SafetyBlock.self, .init(account: outsider.host.id))
        #expect(try await create(outsider, event: event) == absent)
    }

    @Test("A group conversation with too many people is refused with the reason")
    func large() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let database = try await stage.server.database()
        defer { database.close() }
        let prefix = "crowd\(stage.host.id)x"
        let crowd = try await database.query(
            """
            INSERT INTO accounts (username, username_key, email, email_key, password_hash)
            SELECT $1 || n, $1 || n, $1 || n || '@example.org', $1 || n || '@example.org', 'x' FROM generate_series(1, 50) n
            RETURNING id
            """, [.text(prefix)]
        ).map { try $0.int("id") }
        let conversation = try await stage.host.group(with: crowd, stage.server)
        let refused = try await stage.host.client.ask(
            "together.create",
            #"{"id":"\#(stage.group)","workout":"\#(stage.workout)","conversation":\#(conversation),"sharesZone":false}"#
        )
        #expect(refused.contains("\"conflict\"") && refused.contains("with the group conversation it would have more"))
        #expect(refused.contains(#""field":"conversation""#))
    }

    @Test(
        "Members who do not know each other can block and report each other; an invited person cannot find members by number"
    )
    func strangers() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two, invited) = (try await stage.buddy(), try await stage.buddy(), try await stage.buddy())
        try await stage.create([one, two, invited])
        func block(_ person: ChatPerson, _ other: Int64) async throws -> String {
            try await person.client.ask("safety.block", #"{"account":\#(other)}"#)
        }
        let unknown = try await block(one, 999_999_999)
        #expect(unknown.contains("1003"))
        for (person, other) in [(invited, one), (one, invited), (one, two)] {
            #expect(try await block(person, other.id) == unknown)
        }
        try await stage.join(one)
        #expect(try await block(one, two.id) == unknown)
        #expect(try await block(invited, one.id) == unknown)
        _ = try await stage.watch(one.client)
        try await stage.join(two)
        try await stage.waitFor("they meet", one.client) { $0[two.username]?.account == two.id }
        let reported = try await one.client.ask(
            "safety.report",
            #"{"id":"\#(UUID().uuidString.lowercased())","account":\#(two.id),"reason":"harassment"}"#)
        #expect(reported.contains("\"result\""))
        // Also after the other has left.
        _ = try await two.client.call(TogetherLeave.self, .init(group: stage.group))
        #expect(try await block(one, two.id).contains("\"result\""))
        let blocked = try await one.client.call(SafetyBlocked.self, Empty()).blocked
        #expect(blocked.map(\.person.name) == [two.username])
        // The answer does not reveal that the other has blocked.
        #expect(try await block(two, one.id).contains("\"result\""))
        #expect(try await block(invited, one.id) == unknown)
    }

    @Test("A member that blocked the caller before it came back stays unknown, as it was never shown")
    func returned() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two) = (try await stage.buddy(), try await stage.buddy())
        try await stage.create([one, two])
        // The second one knows the first by its event.
        _ = try await event(one, [])
        try await stage.join(one)
        _ = try await one.client.call(TogetherLeave.self, .init(group: stage.group))
        try await stage.join(two)
        _ = try await two.client.call(SafetyBlock.self, .init(account: one.id))
        #expect(try await stage.join(one).group.members.map(\.username) == [stage.host.username, one.username])
        #expect(try await knows(one, two.id) == false)
    }

    @Test(
        "A removal or another invitation does not prolong the time for which a member took part",
        arguments: [true, false])
    func prolonged(_ isRemoved: Bool) async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two) = (try await stage.buddy(), try await stage.buddy())
        try await stage.create([one, two])
        try await stage.join(one)
        _ = try await one.client.call(TogetherLeave.self, .init(group: stage.group))
        try await stage.join(two)
        if isRemoved {
            _ = try await stage.host.client.call(
                TogetherRemove.self, .init(group: stage.group, username: one.username))
        } else {
            _ = try await stage.host.client.call(
                TogetherInvite.self, .init(group: stage.group, invite: [one.username]))
        }
        #expect(try await knows(one, two.id) == false)
        #expect(try await knows(two, one.id) == false)
    }

    /// Whether a person may block another account, and so learn its name. An unknown account has the same answer as one
    /// that does not exist.
    private func knows(_ person: ChatPerson, _ other: Int64) async throws -> Bool {
        let answer = try await person.client.ask("safety.block", #"{"account":\#(other)}"#)
        return try await answer != person.client.ask("safety.block", #"{"account":999999999}"#)
    }

    @Test("The export does not name a host that a block separates")
    func export() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let buddy = try await stage.buddy()
        try await stage.create([buddy])
        let database = try await stage.server.database()
        defer { database.close() }
        let kind = try #require(PersonalDataKind.together.first { $0.name == "liveGroupMemberships" })
        func host() async throws -> String? {
            try await database.query(kind.sql, [.int(buddy.id)]).first?.optionalText("host")
        }
        #expect(try await host() == stage.host.username)
        _ = try await stage.host.client.call(SafetyBlock.self, .init(account: buddy.id))
        #expect(try await host() == nil)
    }
}
