import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

/// People at random, and by the Matching article who should be suggested to whom: written apart from the statement that does it.
struct Population {
    struct Person {
        var account: Int64 = 0
        var gender: Gender
        var preference: GenderPreference
        var isGenderOnly: Bool
        var isActive: Bool
        var agrees: Bool
        var isAdult: Bool
        var profile: BuddyProfile
    }

    var people: [Person]
    /// Whom each decided on, blocked, or is a buddy of: positions.
    var decided: Set<[Int]> = []
    var blocked: Set<[Int]> = []
    var matched: Set<[Int]> = []

    init(count: Int, by generator: inout SeededGenerator) {
        func some(_ list: OptionList, _ most: Int) -> [String] {
            let ids = list.options.map(\.id).shuffled(using: &generator)
            return Array(ids.prefix(Int.random(in: 0...most, using: &generator)))
        }
        func oneIn(_ count: Int) -> Bool { Int.random(in: 1...count, using: &generator) == 1 }
        people = (0..<count).map { _ in
            var profile = BuddyProfile()
            profile.times = WeekTimes.days.flatMap { day in
                WeekTimes.parts.filter { _ in oneIn(5) }.map { "\(day.id)-\($0.id)" }
            }
            profile.goals = some(BuddyCatalogue.goals, 3)
            profile.styles = some(BuddyCatalogue.styles, 2)
            profile.places = some(BuddyCatalogue.places, 2)
            profile.traits = some(BuddyCatalogue.traits, 3)
            profile.desiredTraits = some(BuddyCatalogue.traits, 3)
            profile.desiredStyles = some(BuddyCatalogue.styles, 2)
            return Person(
                gender: Gender.allCases.randomElement(using: &generator) ?? .other,
                preference: GenderPreference.allCases.randomElement(using: &generator) ?? .any,
                isGenderOnly: oneIn(4), isActive: !oneIn(8), agrees: !oneIn(10), isAdult: !oneIn(12), profile: profile)
        }
        for one in 0..<count {
            for other in 0..<count where one != other {
                if oneIn(12) { decided.insert([one, other]) }
                if oneIn(40) { blocked.insert([one, other]) }
                if one < other, oneIn(40) { matched.insert([one, other]) }
            }
        }
    }

    // MARK: What should be

    func isShown(_ other: Int, to viewer: Int) -> Bool {
        let (me, them) = (people[viewer], people[other])
        return viewer != other && them.isActive && them.agrees && them.isAdult
            && (!me.isGenderOnly || Self.prefers(me, them)) && (!them.isGenderOnly || Self.prefers(them, me))
            && !decided.contains([viewer, other]) && !matched.contains([min(viewer, other), max(viewer, other)])
            && !blocked.contains([viewer, other]) && !blocked.contains([other, viewer])
    }

    static func prefers(_ one: Person, _ other: Person) -> Bool {
        one.preference == .any || one.preference.rawValue == other.gender.rawValue
    }

    func score(_ other: Int, to viewer: Int) -> Int {
        let (me, them) = (people[viewer].profile, people[other].profile)
        func common(_ a: [String], _ b: [String]) -> Int { Set(a).intersection(b).count }
        return 8 * common(me.goals, them.goals) + 3 * min(5, common(me.times, them.times))
            + 6 * common(me.places, them.places)
            + 4 * (common(me.desiredStyles, them.styles) + common(me.styles, them.desiredStyles))
            + 3 * common(me.styles, them.styles)
            + 3 * (common(me.desiredTraits, them.traits) + common(me.traits, them.desiredTraits))
            + (Self.prefers(people[other], people[viewer]) ? 10 : 0)
    }

    // MARK: Storing

    /// Puts them into the database, in place of everybody who was there.
    mutating func store(_ world: BuddyWorld) async throws {
        try await world.sql("DELETE FROM accounts")
        let names = people.map { _ in World.name() }
        let ids = try await world.sql(
            """
            INSERT INTO accounts (username, username_key, email, email_key, password_hash)
            SELECT n, n, n || '@example.org', n || '@example.org', '-' FROM unnest($1::text[]) n RETURNING id
            """, [.textArray(names)]
        ).map { try $0.int("id") }
        for index in people.indices { people[index].account = ids[index] }
        try await world.sql(
            """
            INSERT INTO profiles (account_id, first_name, last_name, birthday, gender)
            SELECT id, 'First', 'Last', birthday::date, gender FROM unnest($1::bigint[], $2::text[], $3::text[])
                AS p (id, birthday, gender)
            """,
            [
                .intArray(ids), .textArray(people.map { $0.isAdult ? "2001-01-01" : "2008-11-21" }),
                .textArray(people.map(\.gender.rawValue)),
            ])
        try await world.sql(
            "INSERT INTO buddy_agreements (account_id, version) SELECT * FROM unnest($1::bigint[], $2::bigint[])",
            [.intArray(ids), .intArray(people.map { $0.agrees ? Int64(BuddyCatalogue.rulesVersion) : 0 })])
        let choices = try people.map { try Choices($0.profile) }
        let masks: [KeyPath<Choices, Int64>] = [
            \.times, \.goals, \.strengths, \.styles, \.places, \.traits, \.desiredTraits, \.desiredStyles,
        ]
        try await world.sql(
            """
            INSERT INTO buddy_profiles (account_id, is_active, preferred_gender, is_gender_only, description,
                \(Choices.columns.joined(separator: ", ")))
            SELECT id, active, preference, is_only, '', t, g, st, sy, p, tr, dt, ds
            FROM unnest($1::bigint[], $2::boolean[], $3::text[], $4::boolean[], $5::bigint[], $6::bigint[], $7::bigint[],
                $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
                AS b (id, active, preference, is_only, t, g, st, sy, p, tr, dt, ds)
            """,
            [
                .intArray(ids), .boolArray(people.map(\.isActive)), .textArray(people.map(\.preference.rawValue)),
                .boolArray(people.map(\.isGenderOnly)),
            ] + masks.map { mask in .intArray(choices.map { $0[keyPath: mask] }) })
        try await storePairs(world, ids)
    }

    private func storePairs(_ world: BuddyWorld, _ ids: [Int64]) async throws {
        func columns(_ pairs: Set<[Int]>) -> [PostgresValue] {
            let pairs = pairs.sorted { $0.lexicographicallyPrecedes($1) }
            return [.intArray(pairs.map { ids[$0[0]] }), .intArray(pairs.map { ids[$0[1]] })]
        }
        try await world.sql(
            """
            INSERT INTO buddy_decisions (account_id, other_id, accepts)
            SELECT a, b, (a + b) % 2 = 0 FROM unnest($1::bigint[], $2::bigint[]) AS d (a, b)
            """, columns(decided))
        try await world.sql(
            "INSERT INTO blocks (blocker_id, blocked_id) SELECT * FROM unnest($1::bigint[], $2::bigint[])",
            columns(blocked))
        try await world.sql(
            """
            INSERT INTO buddies (low_id, high_id, conversation_id, matched_at)
            SELECT least(a, b), greatest(a, b), chat_open_direct(a, b, now()), now()
            FROM unnest($1::bigint[], $2::bigint[]) AS m (a, b)
            """, columns(matched))
    }
}
