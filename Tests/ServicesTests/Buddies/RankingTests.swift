import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Who is suggested to whom, and in which order")
struct RankingTests {
    @Test(
        "In random populations everybody's deck is as the article says: the preferred gender first, always; then by score"
    )
    func populations() async throws {
        let world = try await BuddyWorld()
        for seed in 1...12 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var population = Population(count: 40, by: &generator)
            try await population.store(world)
            for (viewer, person) in population.people.enumerated() {
                guard person.isActive, person.agrees, person.isAdult else { continue }
                let cards = try await world.deck(identity(person.account))
                let label: Comment = "seed \(seed), viewer \(viewer)"
                let positions = cards.compactMap { card in
                    population.people.firstIndex { $0.account == card.account }
                }
                let expected = population.people.indices.filter { population.isShown($0, to: viewer) }
                #expect(positions.sorted() == expected, label)
                let tiers = positions.map { Population.prefers(person, population.people[$0]) ? 0 : 1 }
                #expect(tiers == tiers.sorted(), label)
                #expect(cards.map(\.score) == positions.map { population.score($0, to: viewer) }, label)
                for tier in 0...1 {
                    let scores = zip(tiers, cards).filter { $0.0 == tier }.compactMap(\.1.score)
                    #expect(scores == scores.sorted(by: >), label)
                }
            }
        }
        await world.close()
    }

    private func identity(_ account: Int64) -> Identity {
        Identity(
            account: Account(id: account, username: "", role: .student, email: "", simulated: false), tokenID: 0)
    }

    @Test("Somebody of the preferred gender comes before another who shares everything")
    func genderFirst() async throws {
        let world = try await BuddyWorld()
        func alike(_ profile: inout BuddyProfile) {
            profile.goals = ["build-muscle", "get-stronger", "lose-weight"]
            profile.times = ["mon-evening", "tue-evening", "wed-evening", "thu-evening", "fri-evening"]
            profile.places = ["campus-gym", "park"]
            (profile.styles, profile.desiredStyles) = (["weights", "yoga"], ["weights", "yoga"])
            (profile.traits, profile.desiredTraits) = (["patient", "funny"], ["patient", "funny"])
        }
        let viewer = try await world.person {
            alike(&$0)
            $0.preferredGender = .female
        }
        let twin = try await world.person("Ben", gender: .male) { alike(&$0) }
        let stranger = try await world.person("Eva") { $0.preferredGender = .male }
        let cards = try await world.deck(viewer)
        #expect(cards.map(\.account) == [stranger.account.id, twin.account.id])
        #expect(cards.map(\.score) == [0, 24 + 15 + 12 + 16 + 6 + 12 + 10])
        // Whoever has no preference gets them by score.
        #expect(
            try await world.accounts(try await world.person("Kim", gender: .other) { alike(&$0) }).first
                == twin.account.id)
        await world.close()
    }

    @Test("Who wants one gender only sees nobody else, and is seen by nobody else")
    func genderOnly() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person {
            $0.preferredGender = .female
            $0.genderOnly = true
        }
        let eva = try await world.person("Eva")
        let ben = try await world.person("Ben", gender: .male)
        #expect(try await world.accounts(ana) == [eva.account.id])
        #expect(try await Set(world.accounts(eva)) == [ana.account.id, ben.account.id])
        #expect(try await world.accounts(ben) == [eva.account.id])
        #expect(await refusal(.notFound) { try await world.decide(ben, ana, accept: true) } == Buddies.notSuggested)
        #expect(await refusal(.notFound) { try await world.decide(ana, ben, accept: true) } == Buddies.notSuggested)
        await world.close()
    }

    @Test("Ties keep their order for a day, and then others come first")
    func ties() async throws {
        let world = try await BuddyWorld()
        var people: [Identity] = []
        for number in 0..<12 { people.append(try await world.person("P\(number)")) }
        let viewer = people[0]
        let first = try await world.accounts(viewer)
        #expect(first.count == 11)
        #expect(try await world.accounts(viewer) == first)
        #expect(try await world.deck(viewer, limit: 5).map(\.account) == Array(first.prefix(5)))
        let own = try await world.accounts(people[1]).filter { $0 != viewer.account.id }
        #expect(own != first.filter { $0 != people[1].account.id }, "everybody has an order of their own")
        var last: Set<Int64> = []
        for _ in 1...10 {
            world.world.clock.advance(bySeconds: 86_400)
            let today = try await world.accounts(viewer)
            #expect(Set(today) == Set(first))
            last.insert(try #require(today.last))
        }
        #expect(last.count >= 4)
        await world.close()
    }

    @Test("A deck has at most so many cards as were asked for, 20 unless said, never more than 50")
    func limits() async throws {
        let world = try await BuddyWorld()
        var generator = SeededGenerator(seed: 7)
        var population = Population(count: 80, by: &generator)
        (population.decided, population.blocked, population.matched) = ([], [], [])
        for index in population.people.indices {
            population.people[index].isGenderOnly = false
            population.people[index].isActive = true
            population.people[index].agrees = true
            population.people[index].isAdult = true
        }
        try await population.store(world)
        let viewer = identity(population.people[0].account)
        #expect(try await world.deck(viewer, limit: nil).count == 20)
        #expect(try await world.deck(viewer, limit: 50).count == 50)
        for limit in [0, 51, -1] {
            #expect(await refusal(.invalidParams) { try await world.deck(viewer, limit: limit) } != nil)
        }
        let shown = try await world.accounts(viewer)
        // Somebody who is too far down to be on the deck cannot be looked at by number.
        let hidden = try #require(
            population.people.map(\.account).first { !shown.contains($0) && $0 != viewer.account.id })
        #expect(
            await refusal(.notFound) { try await world.buddies.card(viewer, .init(account: hidden)) }
                == Buddies.notSuggested)
        let card = try await world.buddies.card(viewer, .init(account: shown[49])).card
        #expect(card == (try await world.deck(viewer)[49]))
        await world.close()
    }
}
