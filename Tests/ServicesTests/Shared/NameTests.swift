import Testing
import Wire

@testable import Services

@Suite("Names and titles that are nothing, or turn text round")
struct NameTests {
    static let nothing = [
        "\u{200B}", "\u{2060}", "\u{3164}", "\u{FEFF}", "\u{00AD}\u{200D}", "\u{115F}\u{1160}", "\u{FFA0}", "\u{2800}",
        " \u{200B} ", "\u{FE0F}", "\u{301}\u{302}", "\u{E0041}", "\u{180E}", "\u{1D159}",
    ]
    static let turned = [
        "\u{202E}live group", "a\u{2066}b", "\u{200F}a", "a\u{200E}", "a\u{061C}b", "a\u{2028}b", "a\u{202C}",
    ]
    static let good = [
        "Anna", "👩‍❤️‍👨", "می‌خواهم", "क्‍ष", "🏳️‍🌈 Run", "1", "-", "א", "José", "e\u{301}", "🫩", "ランナー", "ㄱ", "한글",
    ]

    @Test("What shows nothing is refused everywhere: groups, people, sessions, notices", arguments: nothing)
    func invisible(name: String) async throws {
        try await isRefused(name)
    }

    @Test("What turns text round is refused everywhere", arguments: turned)
    func turning(name: String) async throws {
        try await isRefused(name)
    }

    private func isRefused(_ name: String) async throws {
        let world = try await ChatWorld()
        let anna = try await world.member()
        let group = try await world.group([anna])
        let buddies = Buddies(loop: world.world.loop, database: world.pool)
        let profile = Profile(firstName: name, lastName: "S", birthday: "2003-04-30", gender: .female)
        let attempts: [() async throws -> Void] = [
            { _ = try await world.chat.create(.init(id: World.newID(), name: name), by: anna) },
            { _ = try await world.chat.rename(.init(conversation: group, name: name), by: anna) },
            { _ = try await buddies.saveProfile(anna, profile) },
            { _ = try await world.world.start(anna, title: name) },
            { _ = try NoticeDraft(title: name, body: nil) },
        ]
        for (index, attempt) in attempts.enumerated() {
            #expect(await refusal(.invalidParams) { try await attempt() } != nil, "\(index)")
        }
    }

    @Test("Emoji of several signs and joiners within words stay", arguments: good)
    func allowed(name: String) throws {
        #expect(try Inputs.name(" \(name) ", "name", charactersMax: 60) == name)
    }

    @Test("A message that shows nothing is empty, but for its picture", arguments: nothing)
    func messages(text: String) async throws {
        let world = try await ChatWorld()
        let (anna, _, conversation) = try await world.pair()
        #expect(await refusal(.invalidParams) { try await world.send(text, in: conversation, by: anna) } != nil)
        let picture = try await world.picture(of: anna)
        let sent = try await world.send(text, in: conversation, by: anna, picture: picture)
        let item = try await world.history(conversation, of: anna).first { $0.offset == sent }
        #expect(item?.event.picture?.id == picture && item?.event.text == nil)
    }
}
