import Foundation
import TestSupport
import Wire

/// How somebody stands to what Vera wrote, whom it is none of their business.
enum Outsider: String, CaseIterable {
    case guest
    case stranger
    case invited = "invited, not joined"
    case left = "has left"
    case removed = "was removed"
    case former = "buddy no more"
    case blocked = "blocked, of two"
    case blockedInGroup = "blocked, in one group"
}

/// What somebody attacks: a conversation in which Vera wrote what they are not to read, or one that is not there.
struct Target: Sendable {
    let conversation: Int64
    let message: Int64
    let account: Int64
    let picture: String
    let profilePicture: String
    let epoch: Int64

    /// Nothing of it exists. The message has a number that every conversation has.
    func absent() -> Target {
        Target(
            conversation: 987_654_321, message: message, account: 876_543_219, picture: UUID().uuidString.lowercased(),
            profilePicture: UUID().uuidString.lowercased(), epoch: epoch)
    }

    /// What it is asked for, put into a question.
    func fill(_ text: String) -> String {
        [
            "$C": "\(conversation)", "$M": "\(message)", "$V": "\(account)", "$E": "\(epoch)", "$P": picture,
            "$F": profilePicture,
        ].reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
    }

    /// An answer, without the number that it was asked for.
    func strip(_ text: String) -> String { text.replacingOccurrences(of: "chat/\(conversation) ", with: "chat/? ") }
}

/// Everything that could give something away: a method, or a path.
struct Outlet: Sendable {
    let name: String
    let params: String
    /// Who may ask it, and is answered as who belongs there.
    var allowed: [Outsider] = []

    static let all: [Outlet] = [
        Outlet(name: "subscribe", params: #"{"topic":"chat/$C"}"#),
        Outlet(name: "subscribe", params: #"{"topic":"chat/$C","since":{"epoch":$E,"offset":1}}"#),
        Outlet(name: "subscribe", params: #"{"topic":"chat/$C","since":{"epoch":$E,"offset":-1}}"#),
        Outlet(name: "subscribe", params: #"{"topic":"user/$V"}"#),
        Outlet(name: "topic.history", params: #"{"topic":"chat/$C"}"#),
        Outlet(name: "topic.history", params: #"{"topic":"user/$V"}"#),
        Outlet(name: "chat.list", params: "{}"),
        Outlet(name: "chat.conversation", params: #"{"conversation":$C,"opens":true}"#, allowed: [.invited]),
        Outlet(name: "chat.history", params: #"{"conversation":$C}"#),
        Outlet(name: "chat.history", params: #"{"conversation":$C,"before":9007199254740991,"limit":100}"#),
        Outlet(name: "chat.search", params: #"{"text":"secret"}"#),
        Outlet(name: "chat.search", params: #"{"text":"secret","conversation":$C}"#),
        Outlet(name: "chat.send", params: #"{"conversation":$C,"id":"$U","text":"let me in","reply":$M}"#),
        Outlet(name: "chat.send", params: #"{"conversation":$C,"id":"$U","picture":"$P"}"#),
        Outlet(name: "chat.edit", params: #"{"conversation":$C,"message":$M,"text":"mine"}"#),
        Outlet(name: "chat.delete", params: #"{"conversation":$C,"message":$M}"#),
        Outlet(name: "chat.react", params: #"{"conversation":$C,"message":$M,"emoji":"🔥","on":true}"#),
        Outlet(name: "chat.read", params: #"{"conversation":$C,"offset":$M}"#),
        Outlet(name: "chat.delivered", params: #"{"conversation":$C,"offset":$M}"#),
        Outlet(name: "chat.typing", params: #"{"conversation":$C}"#),
        Outlet(name: "chat.mute", params: #"{"conversation":$C,"seconds":60}"#),
        Outlet(name: "group.rename", params: #"{"conversation":$C,"name":"Mine"}"#),
        Outlet(name: "group.invite", params: #"{"conversation":$C,"accounts":[$V]}"#),
        Outlet(name: "group.remove", params: #"{"conversation":$C,"account":$V}"#),
        Outlet(name: "group.role", params: #"{"conversation":$C,"account":$V,"role":"owner"}"#),
        Outlet(name: "group.create", params: #"{"id":"$U","name":"Trap","invite":[$V]}"#),
        Outlet(name: "buddies.card", params: #"{"account":$V}"#),
        Outlet(name: "buddies.decide", params: #"{"account":$V,"accept":false}"#),
        Outlet(name: "buddies.deck", params: #"{"limit":50}"#),
        Outlet(name: "buddies.remove", params: #"{"account":$V}"#),
        Outlet(
            name: "safety.report",
            params: #"{"id":"$U","account":$V,"reason":"other","conversation":$C,"messages":[$M]}"#),
        Outlet(name: "safety.report", params: #"{"id":"$U","account":$V,"reason":"other"}"#),
        Outlet(name: "reports.list", params: "{}"),
        Outlet(name: "reports.close", params: #"{"report":1,"resolution":"nothing"}"#),
        Outlet(name: "GET", params: "/pictures/$P"),
        Outlet(name: "GET", params: "/pictures/$P/thumb"),
        Outlet(name: "GET", params: "/pictures/$F"),
        Outlet(name: "GET", params: "/pictures/$F/thumb"),
        Outlet(
            name: "batch",
            params: """
                [{"jsonrpc":"2.0","id":1,"method":"chat.history","params":{"conversation":$C}},\
                {"jsonrpc":"2.0","id":2,"method":"chat.conversation","params":{"conversation":$C}},\
                {"jsonrpc":"2.0","id":3,"method":"chat.search","params":{"text":"secret"}}]
                """, allowed: [.invited]),
        Outlet(name: "group.leave", params: #"{"conversation":$C}"#),
        Outlet(name: "group.answer", params: #"{"conversation":$C,"accept":false}"#, allowed: [.invited]),
        Outlet(name: "group.answer", params: #"{"conversation":$C,"accept":true}"#),
    ]

    /// As the table of the threat model names it.
    var title: String {
        let short = params.replacingOccurrences(of: #""id":"$U","#, with: "")
        return name == "batch" ? "a batch of `chat.history`, `chat.conversation`, `chat.search`" : "`\(name) \(short)`"
    }

    /// Asks as somebody.
    func ask(_ target: Target, as client: ChatClient, token: String?, _ server: TestServer) async throws -> String {
        let text = target.fill(params).replacingOccurrences(of: "$U", with: UUID().uuidString)
        switch name {
        case "GET": return target.strip(try await Self.get(text, token, server))
        case "batch": return target.strip(try await Self.post(text, token, server))
        default: return target.strip(try await client.ask(name, text))
        }
    }

    private static func get(_ path: String, _ token: String?, _ server: TestServer) async throws -> String {
        let answer = try await exchange("GET \(path) HTTP/1.1\r\nHost: x\r\n", token, [], server)
        var headers = answer.headers
        headers["date"] = nil
        let body = answer.status == 200 ? answer.text : try ChatClient.sorted(answer.text)
        return "\(answer.status) \(headers.sorted { $0.key < $1.key }) \(body)"
    }

    private static func post(_ body: String, _ token: String?, _ server: TestServer) async throws -> String {
        let head =
            "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        return try ChatClient.sorted(try await exchange(head, token, Array(body.utf8), server).text)
    }

    private static func exchange(
        _ head: String, _ token: String?, _ body: [UInt8], _ server: TestServer
    ) async throws -> RawResponse {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try await socket.send(Array("\(head)\(authorization)\r\n".utf8) + body)
        return try await socket.response()
    }
}
