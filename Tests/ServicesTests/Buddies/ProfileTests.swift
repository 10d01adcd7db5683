import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Profiles and buddy profiles")
struct ProfileTests {
    private static let profile = Profile(
        firstName: "Ana", lastName: "Souza", birthday: "2003-04-30", gender: .female)

    @Test("A profile is kept as it was written, and can be written anew")
    func profile() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.world.member()
        #expect(try await world.buddies.profile(ana).profile == nil)
        var profile = Self.profile
        profile.firstName = "  Ana Zoë "
        _ = try await world.buddies.saveProfile(ana, profile)
        profile.firstName = "Ana Zoë"
        #expect(try await world.buddies.profile(ana).profile == profile)
        profile.gender = .other
        #expect(try await world.buddies.saveProfile(ana, profile).profile == profile)
        #expect(try await world.buddies.profile(ana).profile == profile)
        await world.close()
    }

    @Test("What is wrong with a profile is said of the member at fault")
    func invalid() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.world.member()
        let cases: [(field: String, message: String, change: (inout Profile) -> Void)] = [
            ("firstName", "must not be empty", { $0.firstName = " \n" }),
            ("firstName", "has at most 40 characters", { $0.firstName = String(repeating: "a", count: 41) }),
            ("lastName", "must not contain control characters", { $0.lastName = "So\u{0}uza" }),
            ("lastName", "must not contain control characters", { $0.lastName = "So\nuza" }),
            (
                "lastName",
                "must not contain line breaks or characters that change the direction of text: leave them out",
                { $0.lastName = "\u{202E}azuoS" }
            ),
            (
                "firstName", "shows nothing: write at least one letter, digit or sign", { $0.firstName = "\u{3164}" }
            ),
            ("birthday", "must be a day of the calendar, such as 2003-04-30", { $0.birthday = "2003-02-29" }),
            ("birthday", "must be a day of the calendar, such as 2003-04-30", { $0.birthday = "30.4.2003" }),
            ("birthday", "must be a day of the calendar, such as 2003-04-30", { $0.birthday = "2003-4-30" }),
            ("birthday", "must not be before 1900", { $0.birthday = "1899-12-31" }),
            ("birthday", "must not be in the future", { $0.birthday = "2026-11-21" }),
        ]
        for one in cases {
            var profile = Self.profile
            one.change(&profile)
            let error = await refusal(.invalidParams) { try await world.buddies.saveProfile(ana, profile) }
            #expect(error?.message == "\(one.field): \(one.message)")
            #expect(error?.data?.field == one.field)
        }
        #expect(try await world.buddies.profile(ana).profile == nil)
        var longest = Self.profile
        longest.lastName = String(repeating: "é", count: 40)
        _ = try await world.buddies.saveProfile(ana, longest)
        await world.close()
    }

    @Test("Rules, profile, buddy profile, deck: who skips one is told which")
    func order() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.world.member()
        func missing(_ body: () async throws -> some Sendable) async -> String? {
            await refusal(.conflict, body)?.message
        }
        #expect(try await world.buddies.options(ana).agreed == nil)
        #expect(
            await missing { try await world.buddies.save(ana, BuddyProfile()) }
                == "agree to the rules first: buddies.agree")
        #expect(await missing { try await world.deck(ana) } == "agree to the rules first: buddies.agree")
        #expect(
            await missing { try await world.buddies.agree(ana, .init(version: BuddyCatalogue.rulesVersion + 1)) }
                == "these are not the current rules: buddies.options has them")
        _ = try await world.buddies.agree(ana, .init(version: BuddyCatalogue.rulesVersion))
        #expect(try await world.buddies.options(ana).agreed == BuddyCatalogue.rulesVersion)
        #expect(await missing { try await world.deck(ana) } == "save your profile first: profile.save")
        #expect(
            await missing { try await world.buddies.save(ana, BuddyProfile()) }
                == "save your profile first: profile.save")
        _ = try await world.buddies.saveProfile(ana, Self.profile)
        #expect(await missing { try await world.deck(ana) } == "save your buddy profile first: buddies.save")
        #expect(
            await missing { try await world.decide(ana, ana, accept: true) }
                == "save your buddy profile first: buddies.save")
        #expect(try await world.buddies.me(ana).profile == nil)
        _ = try await world.buddies.save(ana, BuddyProfile())
        #expect(try await world.deck(ana).isEmpty)
        _ = try await world.buddies.save(ana, BuddyProfile(active: false))
        #expect(
            await missing { try await world.deck(ana) }
                == "your buddy profile is switched off, so nobody is shown to you: save it with active true")
        await world.close()
    }

    @Test("Who agreed to former rules is suggested to nobody, and agrees anew")
    func rules() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        #expect(try await world.accounts(ben) == [ana.account.id])
        try await world.sql("UPDATE buddy_agreements SET version = 0 WHERE account_id = $1", [.int(ana.account.id)])
        #expect(try await world.accounts(ben).isEmpty)
        #expect(
            await refusal(.conflict) { try await world.deck(ana) }?.message == "agree to the rules first: buddies.agree"
        )
        _ = try await world.buddies.agree(ana, .init(version: BuddyCatalogue.rulesVersion))
        #expect(try await world.accounts(ben) == [ana.account.id])
        await world.close()
    }

    @Test("Buddies are 18: on the birthday, and not the day before; who turns out to be younger is suggested to nobody")
    func age() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person(birthday: "2008-11-20")
        let ben = try await world.person("Ben")
        #expect(try await world.accounts(ben) == [ana.account.id])
        var younger = Self.profile
        younger.birthday = "2008-11-21"
        _ = try await world.buddies.saveProfile(ana, younger)
        #expect(
            await refusal(.forbidden) { try await world.buddies.save(ana, BuddyProfile()) }?.message
                == "finding a buddy is for people of 18 years and older")
        #expect(await refusal(.forbidden) { try await world.deck(ana) } != nil)
        #expect(try await world.accounts(ben).isEmpty)
        world.world.clock.advance(bySeconds: 86_400)
        #expect(try await world.accounts(ben) == [ana.account.id])
        #expect(try await world.accounts(ana) == [ben.account.id])
        await world.close()
    }

    @Test("A buddy profile comes back as it was saved, and can be edited")
    func buddyProfile() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person()
        var profile = BuddyProfile(
            preferredGender: .other, genderOnly: true, showsAge: true, description: "Slow,\nbut steady 🏃🏽‍♀️",
            picture: try await world.picture(of: ana), times: ["mon-early", "sun-night"],
            goals: ["build-muscle", "meet-people"], strengths: ["core"], styles: ["weights", "walking"],
            places: ["online"], traits: ["patient", "beginner"], desiredTraits: ["funny"], desiredStyles: ["yoga"])
        #expect(try await world.buddies.save(ana, profile).profile == profile)
        #expect(try await world.buddies.me(ana).profile == profile)
        let preview = try #require(try await world.buddies.me(ana).preview)
        #expect(preview.name == "Ana" && preview.age == 23 && preview.ageSpan == nil)
        #expect(preview.picture == profile.picture && preview.score == nil)
        profile.times = []
        profile.picture = nil
        profile.showsAge = false
        #expect(try await world.buddies.save(ana, profile).profile == profile)
        #expect(try await world.buddies.me(ana).preview?.ageSpan == "22–25")
        await world.close()
    }

    @Test("What is wrong with a buddy profile is said of the member at fault")
    func invalidBuddyProfile() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        let foreign = try await world.picture(of: ben)
        let sent = try await world.picture(of: ana, purpose: "chat")
        let notYours = "is not a profile picture of yours: upload one first"
        let unknown = "is not an option: buddies.options lists them"
        let cases: [(field: String, message: String, change: (inout BuddyProfile) -> Void)] = [
            ("description", "has at most 500 characters", { $0.description = String(repeating: "a", count: 501) }),
            ("description", "must not contain control characters", { $0.description = "a\u{7}b" }),
            ("goals", "choose at most 3", { $0.goals = Array(BuddyCatalogue.goals.options.map(\.id).prefix(4)) }),
            (
                "strengths", "choose at most 3",
                { $0.strengths = Array(BuddyCatalogue.strengths.options.map(\.id).prefix(4)) }
            ),
            ("styles", "choose at most 2", { $0.styles = ["weights", "running", "yoga"] }),
            ("places", "choose at most 2", { $0.places = ["park", "pool", "track"] }),
            ("traits", "choose at most 3", { $0.traits = ["funny", "quiet", "patient", "relaxed"] }),
            ("desiredTraits", "choose at most 3", { $0.desiredTraits = ["funny", "quiet", "patient", "relaxed"] }),
            ("desiredStyles", "choose at most 2", { $0.desiredStyles = ["weights", "running", "yoga"] }),
            ("goals[1]", unknown, { $0.goals = ["stay-healthy", "funny"] }),
            ("desiredStyles[0]", unknown, { $0.desiredStyles = ["WEIGHTS"] }),
            ("times[0]", unknown, { $0.times = ["mon-noon"] }),
            ("picture", "must be a UUID, such as one of crypto.randomUUID()", { $0.picture = "me.jpg" }),
            ("picture", notYours, { $0.picture = foreign }),
            ("picture", notYours, { $0.picture = sent }),
        ]
        for one in cases {
            var profile = BuddyProfile()
            one.change(&profile)
            let error = await refusal(.invalidParams) { try await world.buddies.save(ana, profile) }
            #expect(error?.message == "\(one.field): \(one.message)")
        }
        #expect(try await world.buddies.me(ana).profile == BuddyProfile())
        await world.close()
    }

    @Test("Savings of a day are limited, so that not everybody can be looked at by wishing for others")
    func limit() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person()
        for _ in 1..<Buddies.savesPerDayMax { _ = try await world.buddies.save(ana, BuddyProfile()) }
        let error = await refusal(.rateLimited) { try await world.buddies.save(ana, BuddyProfile()) }
        // It is 16:00 in UTC.
        #expect(error?.data?.retryAfter == 28_800)
        world.world.clock.advance(bySeconds: 8 * 3_600)
        _ = try await world.buddies.save(ana, BuddyProfile())
        await world.close()
    }

    @Test("Savings of the profile are limited as well: each other gender would show other people")
    func profileLimit() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.world.member()
        func save(_ gender: Gender) async throws {
            _ = try await world.buddies.saveProfile(
                ana, Profile(firstName: "Ana", lastName: "Souza", birthday: "2003-04-30", gender: gender))
        }
        for number in 0..<Buddies.profileSavesPerDayMax { try await save(number % 2 == 0 ? .female : .male) }
        let error = await refusal(.rateLimited) { try await save(.other) }
        #expect(error?.data?.retryAfter ?? 0 > 0)
        #expect(try await world.buddies.profile(ana).profile?.gender == .male)
        world.world.clock.advance(bySeconds: 86_400)
        try await save(.other)
        await world.close()
    }

    @Test("Places in the lists are what is stored: they never change")
    func catalogue() throws {
        let lists = [
            BuddyCatalogue.goals, BuddyCatalogue.strengths, BuddyCatalogue.styles, BuddyCatalogue.places,
            BuddyCatalogue.traits,
        ]
        // Only ever add to the end of these.
        let stored = [
            """
            build-muscle get-stronger lose-weight gain-endurance become-flexible stay-healthy finish-a-race \
            learn-technique keep-a-routine come-back reduce-stress meet-people
            """,
            """
            upper-body core legs lifting-form running-far running-fast riding swimming-technique mobility planning \
            nutrition encouraging
            """,
            """
            weights bodyweight intervals functional running cycling swimming yoga dance martial-arts ball-games walking
            """,
            "campus-gym other-gym track campus-paths park pool courts studio beach online",
            """
            patient motivating punctual talkative quiet funny competitive supportive disciplined relaxed experienced \
            beginner
            """,
        ]
        #expect(lists.map { $0.options.map(\.id).joined(separator: " ") } == stored)
        #expect(try WeekTimes.mask(["mon-early"]) == 1)
        #expect(try WeekTimes.mask(["tue-early", "mon-night"]) == 1 << 8 | 1 << 5)
        #expect(try WeekTimes.mask(["sun-night"]) == 1 << 53)
        let times = WeekTimes.days.flatMap { day in WeekTimes.parts.map { "\(day.id)-\($0.id)" } }
        #expect(WeekTimes.ids(try WeekTimes.mask(times)) == times)
        let ids = lists.flatMap { $0.options.map(\.id) } + times
        #expect(Set(ids).count == ids.count, "an id says by itself what it is")
    }

    @Test("The span of years follows the year of birth, so that the day it changes tells nothing of the birthday")
    func span() {
        var spans: [String] = []
        for year in (1_981...2_008).reversed() {
            let span = CardRow.ageSpan(bornIn: year, in: 2_026)
            if spans.last != span { spans.append(span) }
        }
        #expect(spans == ["18–21", "22–25", "26–30", "31–40", "41+"])
        #expect(CardRow.ageSpan(bornIn: 2005, in: 2026) == "18–21")
        #expect(CardRow.ageSpan(bornIn: 2004, in: 2026) == "22–25")
    }

    @Test(
        "A day is one of the calendar, and years pass on the birthday",
        arguments: [
            ("2008-02-29", "2026-02-28", 17), ("2008-02-29", "2026-03-01", 18), ("2000-12-31", "2026-12-31", 26),
            ("2000-12-31", "2026-12-30", 25), ("2010-02-28", "2028-02-29", 18),
        ])
    func years(_ birthday: String, _ today: String, _ years: Int) throws {
        #expect(try #require(CalendarDay(birthday)).years(until: try #require(CalendarDay(today))) == years)
        for wrong in [
            "2003-13-01", "2003-00-01", "2003-01-00", "1900-02-29", "2003-1-1", "+003-01-01", "", "2003-01-01 ",
        ] {
            #expect(CalendarDay(wrong) == nil)
        }
    }
}
