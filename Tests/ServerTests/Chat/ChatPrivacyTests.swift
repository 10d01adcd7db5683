import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("What is none of somebody's business in chats, tried as an attacker would")
struct ChatPrivacyTests {
    /// Vera, who wrote secrets, and all who are not to read them.
    private struct Cast {
        /// Words that nobody here may see.
        static let secrets = ["secretwords", "Hiddenname", "2001-02-03"]
        let server: TestServer
        let vera: ChatPerson
        let outsiders: [Outsider: ChatPerson]
        let targets: [Outsider: Target]
        let picture: String

        init() async throws {
            server = try await TestServer.start { $0.rateLimits = .off }
            vera = try await ChatPerson(server, lastName: "Hiddenname")
            let otto = try await ChatPerson(server, lastName: "Owner")
            var people: [Outsider: ChatPerson] = [:]
            for outsider in Outsider.allCases where outsider != .guest {
                people[outsider] = try await ChatPerson(server, lastName: outsider == .stranger ? nil : "Attacker")
            }
            func person(_ outsider: Outsider) throws -> ChatPerson { try #require(people[outsider]) }
            let inGroup = [.left, .removed, .blockedInGroup] as [Outsider]
            let joining = [vera] + (try inGroup.map(person))
            for one in joining + [try person(.invited)] { try await otto.match(one) }
            let group = try await otto.makeGroup("Runners", with: joining + [try person(.invited)])
            for one in joining { try await one.join(group) }
            let former = try await vera.match(try person(.former))
            let blocked = try await vera.match(try person(.blocked))
            let bytes = try TestPicture.make("jpg", width: 40, height: 30)
            let own = try await vera.upload(bytes, to: server, purpose: "profile")
            try await vera.saveBuddyProfile(picture: own)
            _ = try await person(.left).client.call(GroupLeave.self, .init(conversation: group))
            _ = try await otto.client.call(GroupRemove.self, .init(conversation: group, account: person(.removed).id))
            _ = try await vera.client.call(SafetyBlock.self, .init(account: person(.blockedInGroup).id))
            var targets: [Outsider: Target] = [:]
            for conversation in [group, former, blocked] {
                let picture = try await vera.upload(bytes, to: server)
                let message = try await vera.send("secretwords", in: conversation, picture: picture)
                _ = try await vera.client.call(ChatRead.self, .init(conversation: conversation, offset: message))
                let epoch = try await vera.client.call(ChatHistory.self, .init(conversation: conversation)).epoch
                let target = Target(
                    conversation: conversation, message: message, account: vera.id, picture: picture,
                    profilePicture: own, epoch: epoch)
                switch conversation {
                case former: targets[.former] = target
                case blocked: targets[.blocked] = target
                default: for one in Outsider.allCases where targets[one] == nil { targets[one] = target }
                }
            }
            picture = try #require(targets[.guest]).picture
            _ = try await vera.client.call(BuddiesRemove.self, .init(account: person(.former).id))
            _ = try await vera.client.call(SafetyBlock.self, .init(account: person(.blocked).id))
            (outsiders, self.targets) = (people, targets)
        }

        /// What the group's members see of it.
        /// - Parameter members: Also who is in it.
        func state(members: Bool) async throws -> String {
            let group = try #require(targets[.guest]).conversation
            let history = try await vera.client.ask("chat.history", "{\"conversation\":\(group),\"limit\":100}")
            guard members else { return history }
            return history + (try await vera.client.ask("chat.conversation", "{\"conversation\":\(group)}"))
        }
    }

    /// What came of an attempt, as the table of the threat model says it.
    private static func verdict(_ answer: String, _ absent: String) -> String {
        let isSame = answer == absent
        if let status = Int(answer.prefix(3)) {
            return status == 200 ? "**shown**" : isSame ? "= \(status)" : "\(status)"
        }
        guard let range = answer.range(of: #""code":(-?[0-9]+)"#, options: .regularExpression) else {
            return isSame ? "nothing" : "own view"
        }
        let code = answer[range].dropFirst(7)
        return isSame ? "= \(code)" : "\(code)"
    }

    @Test("Everybody who is not to know, at every outlet: nothing of it, and the answer for what does not exist")
    func outsiders() async throws {
        let cast = try await Cast()
        var cells: [Outsider: [String]] = [:]
        for outsider in Outsider.allCases {
            let person = cast.outsiders[outsider]
            let target = try #require(cast.targets[outsider])
            let client = try await ChatClient(cast.server, token: person?.token)
            let hasMembers = outsider != .invited
            let before = try await cast.state(members: hasMembers)
            for outlet in Outlet.all {
                let answer = try await outlet.ask(target, as: client, token: person?.token, cast.server)
                // As themselves they may change what they see; asked first, nothing is there yet to be told apart by.
                let absent = try await outlet.ask(target.absent(), as: client, token: person?.token, cast.server)
                let what = "\(outlet.title) by \(outsider.rawValue): \(answer.prefix(400)) / \(absent.prefix(400))"
                for secret in Cast.secrets { #expect(!answer.contains(secret), "\(what)") }
                let verdict = Self.verdict(answer, absent)
                if outsider != .blockedInGroup, !outlet.allowed.contains(outsider), !Self.isOwnView(outlet, outsider) {
                    #expect(answer == absent, "\(what)")
                }
                cells[outsider, default: []].append(verdict)
            }
            if outsider != .blockedInGroup {
                #expect(try await cast.state(members: hasMembers) == before, "by \(outsider.rawValue)")
            }
            // What is said now goes to nobody of them.
            let word = "secretwords of now"
            let sent = try await cast.vera.send(word, in: target.conversationOpenToVera(cast.targets[.guest]))
            _ = try await client.ask("ping")
            #expect(sent > 0 && !client.frames.joined().contains("secretwords"), "\(outsider.rawValue)")
            #expect(person.map { !$0.client.frames.suffix(3).joined().contains(word) } ?? true, "\(outsider.rawValue)")
        }
        try Self.compare(cells)
        await cast.server.stop()
    }

    /// What is answered with something of the one who asks, where it exists.
    private static func isOwnView(_ outlet: Outlet, _ outsider: Outsider) -> Bool {
        switch outlet.name {
        // They were in a conversation with her or saw her card, and may say so to the admins; the deck has her card as for everybody.
        case "safety.report":
            ![.guest, .stranger].contains(outsider) && (outsider != .invited || !outlet.params.contains("$C"))
        case "buddies.card": [.invited, .left, .removed].contains(outsider)
        // Decided before, it stays so.
        case "buddies.decide": ![.guest, .stranger].contains(outsider)
        default: false
        }
    }

    /// The threat model says what each attempt gets; it is to say what is so.
    private static func compare(_ cells: [Outsider: [String]]) throws {
        var lines = ["| attempt | " + Outsider.allCases.map(\.rawValue).joined(separator: " | ") + " |"]
        lines.append("|" + String(repeating: "---|", count: Outsider.allCases.count + 1))
        for (index, outlet) in Outlet.all.enumerated() {
            let row = Outsider.allCases.map { cells[$0]?[index] ?? "" }
            lines.append("| \(outlet.title) | " + row.joined(separator: " | ") + " |")
        }
        let model = TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc/ThreatModel.md")
        let text = try String(contentsOf: model, encoding: .utf8)
        let table = lines.joined(separator: "\n")
        #expect(text.contains(table), "the threat model's table should be:\n\(table)")
    }

    @Test("Conversations numbered one after the other: who is in none hears the same of each, and of those to come")
    func enumeration() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (anna, otto) = (try await ChatPerson(server, lastName: "A"), try await ChatPerson(server, lastName: "O"))
        var last = try await anna.match(otto)
        for number in 0..<6 { last = try await otto.makeGroup("Group \(number)", with: [anna]) }
        let stranger = try await ChatPerson(server)
        for (method, more) in [
            ("chat.history", ""), ("chat.conversation", ""),
            ("chat.send", #","id":"\#(UUID().uuidString)","text":"x""#),
            ("chat.read", #","offset":1"#), ("group.leave", ""), ("group.answer", #","accept":true"#),
            ("chat.typing", ""),
        ] {
            var answers: Set<String> = []
            for id in 1...(last + 5) {
                let answer = try await stranger.client.ask(method, "{\"conversation\":\(id)\(more)}")
                answers.insert(answer.replacingOccurrences(of: "chat/\(id) ", with: "chat/? "))
            }
            #expect(answers.count == 1, "\(method): \(answers)")
        }
        var answers: Set<String> = []
        for id in 1...(last + 5) {
            answers.insert(try await stranger.client.ask("subscribe", #"{"topic":"chat/\#(id)"}"#))
        }
        #expect(answers.count == 1)
        await server.stop()
    }

    @Test("Who signs in as somebody else on the same connection gets nothing more of what the first one had open")
    func otherAccount() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (anna, otto) = (try await ChatPerson(server, lastName: "A"), try await ChatPerson(server, lastName: "O"))
        let stranger = try await ChatPerson(server)
        let conversation = try await anna.match(otto)
        let client = try await ChatClient(server, token: anna.token)
        #expect(try await client.ask("subscribe", #"{"topic":"chat/\#(conversation)"}"#).contains("recovered"))
        #expect(try await client.ask("subscribe", #"{"topic":"user/\#(anna.id)"}"#).contains("user/"))
        try await otto.send("for anna", in: conversation)
        _ = try await eventually("anna is told") { client.frames.joined().contains("for anna") ? true : nil }
        _ = try await client.ask("hello", #"{"token":"\#(stranger.token)"}"#)
        let last = try await otto.send("not for the stranger", in: conversation)
        try await anna.send("nor this", in: conversation)
        _ = try await client.ask("ping")
        #expect(try await client.ask("chat.history", #"{"conversation":\#(conversation)}"#).contains("1003"))
        #expect(!client.events(of: conversation).contains { $0.offset >= last })
        #expect(!client.signals.contains { $0.offset ?? 0 >= last })
        await server.stop()
    }

    @Test("A revoked token ends its connections: nothing more is told, and nothing answered, over HTTP neither")
    func revoked() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (anna, otto) = (try await ChatPerson(server, lastName: "A"), try await ChatPerson(server, lastName: "O"))
        let conversation = try await anna.match(otto)
        _ = try await anna.client.ask("subscribe", #"{"topic":"chat/\#(conversation)"}"#)
        _ = try await anna.client.ask("subscribe", #"{"topic":"user/\#(anna.id)"}"#)
        let other = try await ChatClient(server, token: anna.token)
        _ = try other.post("account.logoutEverywhere")
        _ = try await eventually("it is closed") { anna.client.closeCode }
        #expect(anna.client.closeCode == 4003)
        let last = try await otto.send("too late", in: conversation)
        let answer = try await Outlet(name: "batch", params: #"[{"jsonrpc":"2.0","id":1,"method":"chat.list"}]"#)
            .ask(
                Target(conversation: 0, message: 0, account: 0, picture: "-", profilePicture: "-", epoch: 0),
                as: other, token: anna.token, server)
        #expect(answer.contains("1001"))
        #expect(!anna.client.frames.joined().contains("too late") && last > 0)
        await server.stop()
    }
}

extension Target {
    /// Where Vera can still write.
    fileprivate func conversationOpenToVera(_ group: Target?) -> Int64 { group?.conversation ?? conversation }
}
