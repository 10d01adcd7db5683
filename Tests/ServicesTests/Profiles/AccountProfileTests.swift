import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Profile of an account (U-3, N-3, C-2, W-1)")
struct AccountProfileTests {
    /// The services over the shared database, and the profiles beside them.
    private struct Stage {
        let world: World
        let profiles: Profiles
        let buddies: Buddies

        init() async throws {
            world = try await World()
            profiles = Profiles(database: world.pool)
            buddies = Buddies(loop: world.loop, database: world.pool)
        }

        func update(_ identity: Identity, _ params: AccountUpdateProfile.Params) async throws -> AccountProfile {
            try await profiles.update(params, of: identity)
        }

        /// Ages the former usernames of an account by whole days.
        func age(_ identity: Identity, days: Int64) async throws {
            _ = try await world.pool.query(
                "UPDATE username_changes SET changed_at = changed_at - make_interval(days => $2::int) WHERE account_id = $1",
                [.int(identity.account.id), .int(days)])
        }
    }

    @Test("Each part is changed alone and keeps its last value, and an empty one is removed")
    func parts() async throws {
        let stage = try await Stage()
        let ana = try await stage.world.member()
        let empty = try await stage.profiles.profile(of: ana)
        #expect(empty.profile.displayName == ana.account.username && empty.profile.firstName == nil)
        #expect(empty.interests.map(\.id).contains("running"))
        var profile = try await stage.update(ana, .init(firstName: "  Ana "))
        #expect(profile.displayName == "Ana")
        profile = try await stage.update(ana, .init(lastName: "Souza", degree: "Computer Science"))
        #expect((profile.displayName, profile.degree) == ("Ana Souza", "Computer Science"))
        profile = try await stage.update(ana, .init(interests: ["yoga", "running", "running"]))
        #expect(Set(profile.interests) == ["running", "yoga"] && profile.interests.count == 2)
        let home = HomeLocation(lat: 51.5, lon: 8.25, name: "Dorm")
        profile = try await stage.update(ana, .init(home: home))
        #expect(profile.home == home && profile.firstName == "Ana")
        profile = try await stage.update(ana, .init(lastName: " ", degree: "", interests: [], removeHome: true))
        #expect(profile.home == nil && profile.degree == nil && profile.interests.isEmpty && profile.lastName == nil)
        #expect(try await stage.profiles.profile(of: ana).profile == profile)
    }

    @Test("What is wrong with a part is said of it, and changes nothing")
    func invalid() async throws {
        let stage = try await Stage()
        let ana = try await stage.world.member()
        let cases: [(field: String, params: AccountUpdateProfile.Params)] = [
            ("firstName", .init(firstName: String(repeating: "a", count: 41), degree: "Law")),
            ("lastName", .init(lastName: "\u{202E}azuoS", degree: "Law")),
            ("degree", .init(degree: String(repeating: "a", count: 81))),
            ("interests", .init(degree: "Law", interests: ["running", "sleeping"])),
            ("home.name", .init(degree: "Law", home: .init(lat: 0, lon: 0, name: " "))),
            ("removeHome", .init(degree: "Law", home: .init(lat: 0, lon: 0, name: "x"), removeHome: true)),
            ("picture", .init(picture: UUID().uuidString, degree: "Law")),
            ("removePicture", .init(picture: UUID().uuidString, removePicture: true, degree: "Law")),
        ]
        for (field, params) in cases {
            let error = await refusal(.invalidParams) { try await stage.update(ana, params) }
            #expect(error?.data?.field == field)
        }
        #expect(try await stage.profiles.profile(of: ana).profile.degree == nil)
    }

    @Test("A profile for buddies keeps both names: Missing inputs")
    func buddyNames() async throws {
        let stage = try await Stage()
        let ana = try await stage.world.member()
        _ = try await stage.update(ana, .init(firstName: "Ana", degree: "Law"))
        #expect(try await stage.buddies.profile(ana).profile == nil)
        _ = try await stage.buddies.saveProfile(
            ana, .init(firstName: "Ana", lastName: "Souza", birthday: "2003-04-30", gender: .female))
        for params in [AccountUpdateProfile.Params(firstName: ""), .init(lastName: " ")] {
            let error = await refusal(.rejected) { try await stage.update(ana, params) }
            #expect(error?.message == "Missing inputs")
        }
        // One name, in both places.
        #expect(try await stage.update(ana, .init(lastName: "Silva")).degree == "Law")
        #expect(try await stage.buddies.profile(ana).profile?.lastName == "Silva")
    }

    // MARK: Username

    @Test("A username follows the rules of registration, with the messages of U-3")
    func usernameRules() async throws {
        let stage = try await Stage()
        let (ana, ben) = (try await stage.world.member(), try await stage.world.member())
        for (name, message) in [
            ("", "Missing inputs"), ("  ", "Missing inputs"), ("abc", "Invalid Username"),
            ("has blank", "Invalid Username"), (String(repeating: "a", count: 21), "Invalid Username"),
            ("Admin", "This username is reserved, please choose another!!!"),
            (ben.account.username.uppercased(), "Username Taken!!!"),
        ] {
            let error = await refusal(.rejected) { try await stage.update(ana, .init(username: name)) }
            #expect(error?.message == message && error?.data?.field == "username")
        }
        let name = World.name()
        #expect(try await stage.update(ana, .init(username: " \(name) ")).username == name)
        #expect(try await stage.world.accounts.own(ana).account.username == name)
    }

    @Test("A former username is for its owner alone until 90 days later, whoever asks for it and however")
    func heldName() async throws {
        let stage = try await Stage()
        let (ana, ben) = (try await stage.world.member(), try await stage.world.member())
        let old = ana.account.username
        _ = try await stage.update(ana, .init(username: World.name()))
        for name in [old, old.uppercased()] {
            _ = await refusal(.rejected) { try await stage.update(ben, .init(username: name)) }
            _ = await refusal(.rejected) { try await stage.world.register(name) }
        }
        // Also past the check that saves the slow hash.
        await #expect(throws: PostgresError.self) {
            try await stage.world.pool.query(
                "UPDATE accounts SET username = $2, username_key = $2 WHERE id = $1",
                [.int(ben.account.id), .text(old)])
        }
        #expect(try await stage.update(ana, .init(username: old)).username == old)
        _ = try await stage.update(ana, .init(username: old))
        let other = World.name()
        try await stage.age(ana, days: 31)
        _ = try await stage.update(ana, .init(username: other))
        try await stage.age(ana, days: 91)
        #expect(try await stage.update(ben, .init(username: old)).username == old)
    }

    @Test("A username changes twice in 30 days, and its profile says from when again")
    func limit() async throws {
        let stage = try await Stage()
        let ana = try await stage.world.member()
        _ = try await stage.update(ana, .init(username: World.name()))
        let name = World.name()
        let second = try await stage.update(ana, .init(username: name))
        let from = try #require(second.usernameFrom)
        #expect((29.9...30.1).contains(from.seconds(since: .now) / 86_400))
        let error = await refusal(.conflict) { try await stage.update(ana, .init(username: World.name())) }
        #expect(error?.data?.field == "username")
        // Another spelling is the same name.
        #expect(try await stage.update(ana, .init(username: name.uppercased())).username == name.uppercased())
        try await stage.age(ana, days: 31)
        #expect(try await stage.update(ana, .init(username: World.name())).usernameFrom == nil)
    }

    @Test("The spelling of the username and the names change 20 times a day each; the error says when again")
    func dailyLimits() async throws {
        let stage = try await Stage()
        let ana = try await stage.world.member()
        let name = ana.account.username
        func rename(_ number: Int64) async throws -> AccountProfile {
            try await stage.update(ana, .init(username: number % 2 == 0 ? name.uppercased() : name))
        }
        func call(_ number: Int64) async throws -> AccountProfile {
            try await stage.update(
                ana, number % 2 == 0 ? .init(firstName: "Ana\(number)") : .init(lastName: "So\(number)"))
        }
        for number in 0..<DailyChange.usernamesPerDayMax {
            _ = try await rename(number)
            // The same again is no change.
            _ = try await rename(number)
        }
        for number in 0..<DailyChange.namesPerDayMax {
            _ = try await call(number)
            _ = try await call(number)
        }
        for (field, error) in [
            ("username", await refusal(.conflict) { try await rename(DailyChange.usernamesPerDayMax) }),
            ("firstName", await refusal(.conflict) { try await call(DailyChange.namesPerDayMax) }),
            (
                "firstName",
                await refusal(.conflict) {
                    try await stage.buddies.saveProfile(
                        ana, .init(firstName: "Bea", lastName: "Souza", birthday: "2003-04-30", gender: .female))
                }
            ),
        ] {
            let wait = try #require(error?.data?.retryAfter)
            #expect(error?.data?.field == field && (86_000...86_400).contains(wait), "\(field)")
            let again = LocalTime.text(Timestamp.now.advanced(bySeconds: wait))
            #expect(error?.message.contains("20 times within a day: change it again after ") == true)
            #expect(error?.message.hasSuffix(again) == true || wait.truncatingRemainder(dividingBy: 60) > 55)
        }
        // Other parts are not limited, and the next day everything changes again.
        _ = try await stage.update(ana, .init(degree: "Law"))
        _ = try await stage.world.pool.query(
            "UPDATE account_changes SET changed_at = changed_at - interval '1 day' WHERE account_id = $1",
            [.int(ana.account.id)])
        _ = try await rename(DailyChange.usernamesPerDayMax)
        _ = try await call(DailyChange.namesPerDayMax)
        try await stage.world.accounts.prune()
        let left = try await stage.world.pool.query(
            "SELECT FROM account_changes WHERE account_id = $1", [.int(ana.account.id)])
        #expect(left.count == 2)
    }

    @Test("Nobody changes the username while viewers know the present one")
    func seen() async throws {
        let stage = try await Stage()
        let ana = try await stage.world.member()
        let session = try await stage.world.start(ana)
        _ = await refusal(.conflict) { try await stage.update(ana, .init(username: World.name())) }
        try await stage.world.stop(session, as: ana)
        _ = try await stage.update(ana, .init(username: World.name()))
    }

    @Test("The log has a change of the username by whoever has a role, and none by a student", arguments: Role.allCases)
    func logged(role: Role) async throws {
        let stage = try await Stage()
        let ana = try await stage.world.member()
        _ = try await stage.world.pool.query(
            "UPDATE accounts SET role = $2 WHERE id = $1", [.int(ana.account.id), .text(role.rawValue)])
        let name = World.name()
        _ = try await stage.update(ana, .init(username: name))
        let log = try await stage.world.pool.query(
            "SELECT action, subject_name, details::text AS details FROM audit_log WHERE actor_id = $1",
            [.int(ana.account.id)])
        #expect(log.count == (role == .student ? 0 : 1))
        if let row = log.first {
            #expect(try row.text("action") == "user.rename" && row.text("subject_name") == name)
            #expect(try row.text("details").contains(ana.account.username))
        }
        _ = try await stage.world.pool.query(
            "UPDATE accounts SET role = 'student' WHERE id = $1 AND (SELECT count(*) FROM accounts WHERE role = 'admin') > 1",
            [.int(ana.account.id)])
    }

    // MARK: Picture

    @Test("The picture of the account is that of the buddy profile, and a replaced one is removed")
    func picture() async throws {
        let stage = try await Stage()
        let ana = try await stage.world.member()
        let pictures = Pictures(database: stage.world.pool)
        let bytes = try TestPicture.make("png", width: 20, height: 20)
        let first = try await pictures.store(bytes, for: .profile, by: ana).picture
        #expect(try await stage.update(ana, .init(picture: first)).picture == first)
        #expect(try await stage.world.accounts.own(ana).account.picture == "/pictures/\(first)")
        _ = try await stage.buddies.agree(ana, .init(version: Buddies.rulesVersion))
        _ = try await stage.buddies.saveProfile(
            ana, .init(firstName: "Ana", lastName: "Souza", birthday: "2003-04-30", gender: .female))
        _ = try await stage.buddies.save(ana, .init(picture: first))
        let second = try await pictures.store(bytes, for: .profile, by: ana).picture
        #expect(try await stage.buddies.me(ana).profile?.picture == first)
        _ = try await stage.update(ana, .init(picture: second))
        #expect(try await stage.buddies.me(ana).profile?.picture == second)
        _ = try await stage.buddies.save(ana, .init(picture: nil))
        #expect(try await stage.profiles.profile(of: ana).profile.picture == nil)
        _ = try await stage.update(ana, .init(removePicture: true))
        #expect(try await stage.world.accounts.own(ana).account.picture == Account.defaultPicture)
        let left = try await stage.world.pool.query(
            "SELECT FROM pictures WHERE owner_id = $1", [.int(ana.account.id)])
        #expect(left.isEmpty)
        let ben = try await stage.world.member()
        let foreign = try await pictures.store(bytes, for: .profile, by: ben).picture
        _ = await refusal(.invalidParams) { try await stage.update(ana, .init(picture: foreign)) }
    }
}
