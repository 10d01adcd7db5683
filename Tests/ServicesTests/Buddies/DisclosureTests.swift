import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("What others get to know of a profile")
struct DisclosureTests {
    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(value), as: UTF8.self)
    }

    @Test("A card holds no address, username, last name or birthday; a buddy sees the full name, and still no more")
    func cards() async throws {
        let world = try await BuddyWorld()
        let viewer = try await world.person("Ben", gender: .male)
        let ana = try await world.person("Ana", "Zwingli", birthday: "2003-04-30") { $0.description = "Hello" }
        let secrets = [ana.account.username, ana.account.email, "example.org", "2003", "04-30", "birthday", "\"age\""]
        let deck = try json(try await world.buddies.deck(viewer, .init()))
        let card = try json(try await world.buddies.card(viewer, .init(account: ana.account.id)))
        for text in [deck, card] {
            #expect(text.contains("\"name\":\"Ana\"") && text.contains("\"ageSpan\":\"22–25\""))
            for secret in secrets + ["Zwingli"] { #expect(!text.contains(secret), "\(secret)") }
        }
        try await world.match(viewer, ana)
        let buddy = try await world.buddies.card(viewer, .init(account: ana.account.id))
        #expect(buddy.card.name == "Ana Zwingli" && buddy.card.score == nil && buddy.conversation != nil)
        let list = try json(try await world.buddies.list(viewer))
        for text in [try json(buddy), list] {
            #expect(text.contains("Ana Zwingli"))
            for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
        }
        await world.close()
    }

    @Test("The age in years is shown with consent only, instead of the span")
    func age() async throws {
        let world = try await BuddyWorld()
        let viewer = try await world.person("Ben")
        let ana = try await world.person(birthday: "2003-11-21") { $0.showsAge = true }
        var card = try #require(try await world.deck(viewer).first)
        #expect(card.age == 22 && card.ageSpan == nil)
        _ = try await world.buddies.save(ana, BuddyProfile())
        card = try #require(try await world.deck(viewer).first)
        #expect(card.age == nil && card.ageSpan == "22–25")
        await world.close()
    }

    @Test("What fits is pointed out, and what the other wishes for is not told")
    func shared() async throws {
        let world = try await BuddyWorld()
        let viewer = try await world.person("Ben") {
            $0.goals = ["meet-people", "build-muscle"]
            $0.times = ["mon-evening", "tue-evening"]
            $0.places = ["park"]
            ($0.styles, $0.desiredStyles) = (["weights"], ["yoga"])
            ($0.traits, $0.desiredTraits) = (["punctual"], ["funny", "patient"])
        }
        _ = try await world.person {
            $0.goals = ["build-muscle", "get-stronger"]
            $0.times = ["tue-evening", "wed-evening"]
            $0.places = ["park", "pool"]
            ($0.styles, $0.desiredStyles) = (["yoga", "weights"], ["cycling"])
            ($0.traits, $0.desiredTraits) = (["funny"], ["punctual", "quiet"])
        }
        let card = try #require(try await world.deck(viewer).first)
        #expect(card.shared == ["tue-evening", "build-muscle", "weights", "yoga", "park", "funny"])
        let text = try json(card)
        for wish in ["cycling", "punctual", "quiet", "desired"] { #expect(!text.contains(wish)) }
        await world.close()
    }

    @Test("People are called by what the viewer may know them by, and look so")
    func people() async throws {
        let world = try await BuddyWorld()
        let people = People(database: world.world.pool)
        let ana = try await world.person("Ana", "Zwingli")
        let picture = try await world.picture(of: ana)
        _ = try await world.buddies.save(ana, BuddyProfile(picture: picture))
        let (ben, eva, bare) = (
            try await world.person("Ben", gender: .male), try await world.person("Eva"), try await world.world.member()
        )
        try await world.match(ana, ben)
        let all = [ana, ben, eva, bare].map(\.account.id)
        func seen(by viewer: Identity) async throws -> Person? {
            try await people.people([ana.account.id], seenBy: viewer.account.id)[ana.account.id]
        }
        let full = Person(account: ana.account.id, name: "Ana Zwingli", gender: .female, picture: picture)
        let stranger = Person(account: ana.account.id, name: ana.account.username, gender: nil, picture: nil)
        #expect(try await seen(by: ben) == full)
        #expect(try await seen(by: ana) == full)
        #expect(try await seen(by: eva) == stranger)
        #expect(try await seen(by: bare) == stranger)
        let judged = try await people.people([ana.account.id], seenBy: bare.account.id, vouched: true)
        #expect(
            judged[ana.account.id]
                == Person(account: ana.account.id, name: "Ana Z.", gender: .female, picture: picture))
        let mixed = try await people.people(all + [Int64.max], seenBy: ana.account.id)
        #expect(Set(mixed.keys) == Set(all))
        #expect(mixed[ben.account.id]?.name == "Ben Souza" && mixed[eva.account.id]?.name == eva.account.username)
        #expect(
            mixed[bare.account.id]
                == Person(account: bare.account.id, name: bare.account.username, gender: nil, picture: nil))
        // Whoever blocked whom: no picture.
        try await world.block(eva, ana)
        _ = try await world.world.start(bare, audience: .campus)
        try await world.block(ana, bare)
        for viewer in [eva, bare] { #expect(try await seen(by: viewer)?.picture == nil) }
        try await world.unblock(eva, ana)
        #expect(try await seen(by: eva) == stranger)
        #expect(try await people.people([], seenBy: ana.account.id).isEmpty)
        await world.close()
    }

    @Test(
        "A profile picture is for its owner, buddies, members of the same conversation and those who could be shown the card"
    )
    func pictures() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person {
            $0.preferredGender = .female
            $0.genderOnly = true
        }
        let former = try await world.picture(of: ana)
        _ = try await world.buddies.save(ana, BuddyProfile(picture: former))
        let picture = try await world.picture(of: ana)
        _ = try await world.buddies.save(
            ana, BuddyProfile(preferredGender: .female, genderOnly: true, picture: picture))
        let (eva, ben, bare) = (
            try await world.person("Eva"), try await world.person("Ben", gender: .male), try await world.world.member()
        )
        func may(_ viewer: Identity, _ id: String = picture) async throws -> Bool {
            try await world.buddies.mayViewProfilePicture(
                id, of: ana.account.id, by: viewer.account.id, adminsNeedFactor: false)
        }
        #expect(try await may(ana))
        #expect(try await may(ana, former))
        #expect(try await may(eva))
        #expect(try await may(eva, former) == false, "it is shown no more")
        #expect(try await may(ben) == false)
        #expect(try await may(bare) == false)
        // Whoever shares a conversation sees it, as long as both are in it.
        let group = try await world.sql(
            """
            WITH made AS (INSERT INTO conversations (kind, name, created_at) VALUES ('group', 'Runners', now()) RETURNING id)
            INSERT INTO members (conversation_id, account_id, role, state, since)
            SELECT made.id, a, 'member', 'joined', now() FROM made, unnest($1::bigint[]) a RETURNING conversation_id
            """, [.intArray([ana.account.id, bare.account.id])])[0].int("conversation_id")
        #expect(try await may(bare))
        try await world.sql(
            "UPDATE members SET state = 'left' WHERE conversation_id = $1 AND account_id = $2",
            [.int(group), .int(ana.account.id)])
        #expect(try await may(bare) == false)
        try await world.match(eva, ana)
        try await world.sql("UPDATE buddy_profiles SET is_active = false")
        #expect(try await may(eva))
        try await world.block(ana, eva)
        #expect(try await may(eva) == false)
        try await world.unblock(ana, eva)
        #expect(try await may(eva) == false, "buddies they are not, and Ana is switched off")
        // Admins see who is reported.
        let admin = try await world.admin()
        #expect(try await may(admin) == false)
        _ = try await world.safety.report(
            eva, .init(id: UUID().uuidString, account: ana.account.id, reason: .fake))
        #expect(try await may(admin))
        await world.close()
    }
}
