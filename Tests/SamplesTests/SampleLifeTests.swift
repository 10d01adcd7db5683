import CampanileClient
import Campus
import Foundation
import TestSupport
import Testing
import WebSocket
import Wire

@testable import Samples
@testable import Server
@testable import Services

/// The samples of `campanile demo` against a real server.
@Suite("Sample life")
struct SampleLifeTests {
    /// Answers come sooner than in the demonstration.
    private static let answerInterval = Duration.milliseconds(150)
    private static let runners = 3

    private struct Demo {
        let server: TestServer
        let signIns: SampleSignIns
        let life: Task<Void, any Error>

        /// Starts a server with its samples, and returns when the sample account is offered.
        static func start(offersAdmin: Bool) async throws -> Demo {
            let signIns = SampleSignIns()
            let server = try await TestServer.start {
                $0.isDemo = true
                $0.sampleSignIns = signIns
            }
            let life = SampleLife(
                server: try #require(await server.server), address: try ServerAddress(url: server.url),
                loops: try ClientLoops(), signIns: signIns, offersAdmin: offersAdmin, answerInterval: answerInterval)
            let task = Task { try await life.run(runners: runners) }
            _ = try await eventually("a log-in is offered") { signIns.all.isEmpty ? nil : true }
            return Demo(server: server, signIns: signIns, life: task)
        }

        func stop() async throws {
            life.cancel()
            try await life.value
            await server.stop()
        }

        /// A connection with the account of a button.
        func enter(_ index: Int) async throws -> (connection: CampanileConnection, account: Account) {
            let connection = try await server.connect()
            let signIn = signIns.all[index]
            let account = try await connection.call(
                AccountLogin.self, .init(email: signIn.email, password: signIn.password)
            ).account
            return (connection, account)
        }
    }

    @Test(
        "The sample account has a month of history, and everything that the product can do is there; two visitors may use it at once"
    )
    func everythingIsThere() async throws {
        let demo = try await Demo.start(offersAdmin: true)
        let (lena, account) = try await demo.enter(0)
        let (other, _) = try await demo.enter(0)
        #expect(account.role == .student && account.simulated)

        let history = try await lena.call(TrackingHistory.self, .init(limit: 50)).sessions
        #expect(history.count == SampleWorkout.all.count)
        #expect(Set(history.map(\.activity)) == [.run, .cycle] && history.allSatisfy(\.simulated))
        for (session, plan) in zip(history, SampleWorkout.all.reversed()) {
            #expect(session.title == plan.title)
            #expect(abs(session.distance / 1_000 - plan.kilometres) < plan.kilometres * 0.1, "\(plan.title)")
            #expect(session.startedAt < .now && session.endedAt ?? .now < .now)
        }
        let first = try #require(history.last)
        #expect(Timestamp.now.seconds(since: first.startedAt) > 27 * 86_400)
        let route = try await other.call(TrackingSession.self, .init(session: first.id))
        #expect(route.route.flatMap(\.self).count > 100 && route.splits?.count == Int(first.distance / 1_000) + 1)
        #expect(try await lena.call(GoalsGet.self, .init()).totals.sessions == history.count)

        let chats = try await lena.call(ChatList.self, Empty()).conversations
        #expect(chats.filter { $0.kind == .direct }.count == SampleDialogue.visitorBuddies.count)
        #expect(chats.filter { $0.kind == .group && $0.state == .joined }.count == 2)
        #expect(chats.filter { $0.state == .invited }.count == 1)
        let unread = chats.reduce(0) { $0 + $1.unread }
        #expect(unread == SampleDialogue.all.reduce(0) { $0 + $1.unread })
        let oldest = try #require(chats.last?.last?.at)
        #expect(Timestamp.now.seconds(since: oldest) > 86_400)
        #expect(try await lena.call(BuddiesList.self, Empty()).buddies.count == SampleDialogue.visitorBuddies.count)
        #expect(try await !lena.call(BuddiesSuggestions.self, .init()).cards.isEmpty)

        let events = try await lena.call(EventsList.self, .init(limit: 50)).events
        #expect(events.count == SampleEventPlan.all.count)
        #expect(events.contains { $0.waiting > 0 } && events.contains { $0.state == .cancelled })
        #expect(events.contains { $0.mine.answer == .going } && events.contains { $0.mine.saved })
        #expect(try await lena.call(EventsList.self, .init(which: .invited)).events.count == 1)
        let notices = try await lena.call(NoticesList.self, .init()).notices
        // On a slow machine some of the later ones are there as well.
        let early = SampleNotice.all.filter { $0.afterSeconds == 0 }.map(\.title)
        #expect(Set(notices.map(\.title)).isSuperset(of: early))
        #expect(notices.contains { $0.level == .important } && notices.contains { $0.readAt != nil })

        let shares = try await lena.call(SharingWithMe.self, .init(campus: true)).shares
        #expect(Set(shares.map(\.audience)) == [.person, .group, .campus])
        #expect(try await lena.call(SharingPast.self, .init()).shares.count == 1)
        #expect(try await lena.call(SharingRequests.self, Empty()).toMe.count == 1)
        #expect(try await lena.call(SavedList.self, Empty()).places.count == 4)
        #expect(try await lena.call(VisitsMost.self, Empty()).places.count == 3)
        #expect(try await lena.call(SearchesList.self, Empty()).searches.count == 3)

        try await expectCrowd(demo)
        let (ada, admin) = try await demo.enter(1)
        #expect(admin.role == .admin)
        #expect(try await !ada.call(AdminUsers.self, .init()).users.isEmpty)
        try await demo.stop()
    }

    /// Ends an epoch of the heatmap instead of waiting half a minute for it.
    private func expectCrowd(_ demo: Demo) async throws {
        let heatmap = try #require(await demo.server.server).environment.services.heatmap
        let spots = SamplePlaces()
        let library = try #require(spots["Weaver Library"])
        let route = [library, library.offset(eastMetres: 5, northMetres: 5)].map {
            LatLon($0.latitude, $0.longitude)
        }
        let connection = try await demo.server.connect()
        _ = try await eventually("the heatmap shows the library") {
            await heatmap.endEpoch()
            let parts = try await connection.call(HeatmapAlong.self, .init(route: route)).parts
            return parts.contains { $0.people >= HeatmapRules.appearMin } ? true : nil
        }
    }

    /// The sample people ask for much before they answer one person, and other tests need the processor, too.
    private static let answerTimeMax = Duration.seconds(180)

    @Test(
        "A sample buddy accepts a person, answers messages, joins groups and events, and says where it is; a restart removes all samples"
    )
    func samplesAnswer() async throws {
        let demo = try await Demo.start(offersAdmin: false)
        #expect(demo.signIns.all.count == 1, "no admin is offered")
        let (anna, account) = try await demo.server.register()
        let buddy = try await match(anna)
        let conversation = try await eventually("the sample accepts", within: Self.answerTimeMax) {
            try await anna.call(BuddiesList.self, Empty()).buddies.first { $0.person.account == buddy }?.conversation
        }

        try await anna.call(
            ChatSend.self,
            .init(conversation: conversation, id: UUID().uuidString, text: "Hello! Are you up for a run?"))
        let group = try await anna.call(
            GroupCreate.self, .init(id: UUID().uuidString, name: "New here", invite: [buddy])
        ).conversation
        let event = try await anna.call(
            EventsCreate.self,
            .init(
                id: UUID().uuidString, audience: .private,
                details: EventDetails(
                    title: "My first event", startsAt: Timestamp.now.advanced(bySeconds: 86_400), duration: 3_600,
                    place: EventPlace(name: "The lake")), publish: true))
        try await anna.call(EventsInvite.self, .init(event: event.id, accounts: [buddy]))
        let asked = try await anna.call(
            SharingAsk.self, .init(clientId: UUID().uuidString, account: buddy)
        ).request

        _ = try await eventually("the sample writes", within: Self.answerTimeMax) {
            try await anna.call(ChatHistory.self, .init(conversation: conversation)).items
                .first { $0.event.by == buddy && $0.event.type == .message }
        }
        _ = try await eventually("the sample joins the group", within: Self.answerTimeMax) {
            try await anna.call(ChatConversation.self, .init(conversation: group)).conversation.members == 2
                ? true : nil
        }
        _ = try await eventually("the sample comes to the event", within: Self.answerTimeMax) {
            try await anna.call(EventsGet.self, .init(event: event.id)).going == 1 ? true : nil
        }
        _ = try await eventually("the sample says where it is", within: Self.answerTimeMax) {
            try await anna.call(SharingRequests.self, Empty()).mine.first { $0.id == asked.id && $0.state == .answered }
        }
        #expect(try await anna.call(SharingAnswered.self, .init(request: asked.id)).location?.place != nil)

        demo.life.cancel()
        try await demo.life.value
        try await demo.server.startAgain()
        try await expectNothingLeft(demo.server, except: account.account.id)
        await demo.server.stop()
    }

    /// Fills a buddy profile and accepts the first suggestion.
    private func match(_ anna: CampanileConnection) async throws -> Int64 {
        let options = try await anna.call(BuddiesOptions.self, Empty())
        try await anna.call(BuddiesAgree.self, .init(version: options.rulesVersion))
        try await anna.call(
            ProfileSave.self, .init(firstName: "Anna", lastName: "Berg", birthday: "2001-02-03", gender: .female))
        try await anna.call(BuddiesSave.self, BuddyProfile(description: "New here."))
        let cards = try await anna.call(BuddiesSuggestions.self, .init()).cards
        let card = try #require(cards.first { $0.name != SampleCast.visitor.firstName })
        #expect(card.description.hasPrefix(SampleProfile.mark))
        try await anna.call(BuddiesDecide.self, .init(account: card.account, accept: true))
        return card.account
    }

    private func expectNothingLeft(_ server: TestServer, except person: Int64) async throws {
        let database = try await server.database()
        let rows = try await database.query(
            """
            SELECT (SELECT array_agg(id) = ARRAY[$1::bigint] FROM accounts) AS accounts,
                (SELECT count(*) FROM events WHERE owner_id IS DISTINCT FROM $1) AS events,
                (SELECT count(*) FROM notices WHERE state <> 'withdrawn') AS notices,
                (SELECT count(*) FROM sessions) AS sessions,
                (SELECT count(*) FROM conversations WHERE created_by IS DISTINCT FROM $1) AS conversations
            """, [.int(person)])
        let row = try #require(rows.first)
        #expect(try row.bool("accounts"))
        for name in ["events", "notices", "sessions", "conversations"] { #expect(try row.int(name) == 0, "\(name)") }
    }

    @Test("A server that is no demonstration offers no log-in, whatever accounts it has")
    func serveOffersNothing() async throws {
        let signIns = SampleSignIns()
        signIns.offer([.init(label: "Look around", email: "lena@simulated.invalid", password: "Secret123")])
        for isDemo in [false, true] {
            let server = try await TestServer.start {
                $0.isDemo = isDemo
                $0.sampleSignIns = signIns
            }
            let running = try #require(await server.server)
            let answer = await running.environment.pages.respond(
                to: HTTPRequest(method: "GET", target: "/config.json", path: "/config.json"), address: "127.0.0.1",
                loop: running.environment.services.heatmap.loop)
            let config = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
            #expect((config?["samples"] as? [[String: String]])?.count == (isDemo ? 1 : nil))
            await server.stop()
        }
    }
}
