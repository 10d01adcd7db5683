import APIDescription
import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore
@testable import Server

@Suite("Who may call what")
struct AccessTests {
    /// Nil is a guest.
    private static let roles: [Role?] = [nil, .student, .lecturer, .rewards, .admin]

    /// Something that is asked for.
    private struct Question: Sendable {
        let name: String
        let method: String
        let access: MethodAccess
        /// For an account, or a guest (0).
        let params: @Sendable (Int64) -> String
    }

    private struct Cell: Sendable {
        let code: Int?
        let message: String

        var isRefused: Bool { code == 1001 || code == 1002 }
    }

    @Test("What a server routes is what the catalogue lists, for the same callers")
    func catalogue() async throws {
        for hasTestEndpoints in [true, false] {
            let server = try await TestServer.start { $0.testEndpoints = hasTestEndpoints }
            let routed = try #require(await server.server).environment.router.methods
            let listed = MethodCatalogue.methods.filter { hasTestEndpoints || !$0.isForTests }
            #expect(Set(routed.keys) == Set(listed.map(\.name)))
            for method in listed { #expect(routed[method.name] == method.access, "\(method.name)") }
            await server.stop()
        }
    }

    @Test(
        "Every method and every kind of topic admits those that the Access article says, and tells the others what to do"
    )
    func matrix() async throws {
        let server = try await TestServer.start {
            $0.testEndpoints = true
            $0.rateLimits = .off
        }
        let questions = Self.questions
        var columns: [Role?: [Cell]] = [:]
        try await withThrowingTaskGroup(of: (Role?, [Cell]).self) { group in
            for role in Self.roles {
                group.addTask { (role, try await Self.answers(to: questions, as: role, server)) }
            }
            for try await (role, cells) in group { columns[role] = cells }
        }
        await server.stop()
        var rows: [String] = []
        for (index, question) in questions.enumerated() {
            var received = ""
            let cells = try Self.roles.map { role -> String in
                let cell = try #require(columns[role]?[index])
                let expected = question.access.refusal(of: role, to: question.name)
                #expect(
                    cell.isRefused == (expected != nil), "\(question.name) as \(role?.rawValue ?? "guest"): \(cell)")
                guard let expected else { return "yes" }
                #expect(cell.code == expected.code && cell.message == expected.message, "\(question.name): \(cell)")
                // Says what to do.
                #expect(cell.message.contains(": "))
                if role != nil { received = cell.message }
                return "\(expected.code)"
            }
            rows.append("| `\(question.name)` | \(cells.joined(separator: " | ")) | \(received) |")
        }
        try Self.compare(rows)
    }

    @Test("Over HTTP and in a batch one is asked for the same; BinaryPointsTests have frames of points")
    func otherWays() async throws {
        let server = try await Shared.server
        let student = try await Official(server, .student)
        let batch = #"[{"jsonrpc":"2.0","id":1,"method":"admin.users","params":{}}]"#
        for (token, code) in [(nil, 1001), (student.token, 1002)] as [(String?, Int)] {
            let socket = try RawSocket(port: server.port)
            defer { socket.close() }
            let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
            try await socket.send(
                "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\(bearer)"
                    + "Content-Length: \(batch.utf8.count)\r\n\r\n\(batch)")
            #expect(try await socket.response().text.contains("\(code)"))
        }
    }

    // MARK: Questions

    private static var questions: [Question] {
        let methods = MethodCatalogue.methods.filter { $0.name != Subscribe.name }.map { method in
            let params = params(of: method)
            return Question(name: method.name, method: method.name, access: method.access) { _ in params }
        }
        let topics = APIRegistry.topics.filter { $0.reply != nil }.compactMap { Topic($0.example) }
        return methods
            + topics.map { topic in
                // Refusals name the topic as it was asked for.
                Question(name: topic.description, method: Subscribe.name, access: topic.access) { account in
                    let own = topic == .user(1) && account != 0 ? Topic.user(account) : topic
                    return "{\"topic\":\"\(own)\"}"
                }
            }
    }

    private static func params(of method: MethodCatalogue.Method) -> String {
        let params = method.exampleParams.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        // Who may depends on the audience: everybody with an account for some.
        switch method.name {
        case EventsCreate.name: return params.replacing("\"campus\"", with: "\"public\"")
        case NoticesPublish.name, NoticesPreview.name:
            return params.replacing("\"kind\":\"campus\"", with: "\"kind\":\"event\",\"event\":987654321")
        default: return params
        }
    }

    private static func answers(to questions: [Question], as role: Role?, _ server: TestServer) async throws -> [Cell] {
        let official: Official?
        if let role { official = try await Official(server, role) } else { official = nil }
        var cells: [Cell] = []
        for question in questions {
            // A connection of its own, and a token: some methods end them.
            let client = if let official { try await official.again(server) } else { try await ChatClient(server) }
            let answer = try await client.ask(question.method, question.params(official?.id ?? 0))
            client.close()
            let object = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
            let error = object?["error"] as? [String: Any]
            cells.append(Cell(code: error?["code"] as? Int, message: error?["message"] as? String ?? ""))
        }
        return cells
    }

    // MARK: The article

    private static let article = TestServer.root.appendingPathComponent(
        "Sources/campanile/Documentation.docc/Access.md")
    private static let begin = "<!-- begin: written by AccessTests -->\n"
    private static let end = "<!-- end -->"

    private static func compare(_ rows: [String]) throws {
        let header = [
            "| method, or topic of `subscribe` | guest | student | lecturer | rewards | admin | 1002 says |",
            "|---|---|---|---|---|---|---|",
        ]
        let table = (header + rows).joined(separator: "\n") + "\n"
        let text = try String(contentsOf: article, encoding: .utf8)
        let from = try #require(text.range(of: begin)).upperBound
        let to = try #require(text.range(of: end)).lowerBound
        if ProcessInfo.processInfo.environment["CAMPANILE_WRITE_VECTORS"] != nil {
            try (text[..<from] + table + text[to...]).write(to: article, atomically: true, encoding: .utf8)
        } else {
            #expect(
                text[from..<to] == table,
                "Access.md is not what the server does: CAMPANILE_WRITE_VECTORS=1 swift test --filter AccessTests")
        }
    }
}
