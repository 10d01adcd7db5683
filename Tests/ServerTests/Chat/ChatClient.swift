import Foundation
import Synchronization
import TestSupport
import Wire

/// A person's connection, of which every frame is kept: whoever is to get nothing has got nothing.
final class ChatClient: Sendable {
    private struct State {
        var frames: [String] = []
        var binary: [[UInt8]] = []
        var replies: [Int: String] = [:]
        var closeCode: Int?
        var closeReason = ""
    }
    /// A push of a conversation or of an account.
    struct Pushed: Sendable {
        let offset: Int64
        let event: ChatEvent
    }
    private let state = Mutex(State())
    private let socket: RawWebSocket
    private let number = Atomic<Int>(0)

    /// - Parameter token: Nil for a guest.
    init(_ server: TestServer, token: String? = nil) async throws {
        socket = try await RawWebSocket(port: server.port, token: token)
        Task { [weak self, socket] in
            await socket.eachFrame { frame in
                guard let self else { return false }
                self.take(frame)
                return true
            }
        }
    }

    deinit { socket.socket.close() }

    func close() { socket.socket.close() }

    private func take(_ frame: RawWebSocket.Frame) {
        state.withLock { state in
            if frame.opcode == 8 {
                (state.closeCode, state.closeReason) = (
                    frame.closeCode ?? 0, String(decoding: frame.payload.dropFirst(2), as: UTF8.self)
                )
            }
            if frame.opcode == 2 { state.binary.append(frame.payload) }
            guard frame.opcode == 1 else { return }
            state.frames.append(frame.text)
            if let id = frame.id { state.replies[id] = frame.text }
        }
    }

    /// Everything that came, replies too.
    var frames: [String] { state.withLock { $0.frames } }
    /// Binary messages that came.
    var binary: [[UInt8]] { state.withLock { $0.binary } }
    var closeCode: Int? { state.withLock { $0.closeCode } }
    /// What the close said; empty before.
    var closeReason: String { state.withLock { $0.closeReason } }

    /// Sends a request.
    /// - Returns: Its id.
    @discardableResult
    func post(_ method: String, _ params: String = "{}") throws -> Int {
        let id = number.wrappingAdd(1, ordering: .relaxed).newValue
        try socket.socket.sendNow(
            RawWebSocket.text(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#))
        return id
    }

    /// The whole answer, the same for the same question.
    func ask(_ method: String, _ params: String = "{}") async throws -> String {
        let id = try post(method, params)
        let reply = try await eventually("an answer to \(method)") { self.state.withLock { $0.replies[id] } }
        return try Self.sorted(reply, to: id)
    }

    /// Sends many at once, and waits for all answers.
    /// - Returns: What was answered, in the order of the questions.
    func askAll(_ questions: [(method: String, params: String)]) async throws -> [String] {
        let ids = try questions.map { try post($0.method, $0.params) }
        let replies = try await eventually("\(ids.count) answers") {
            self.state.withLock { state -> [String]? in
                let replies = ids.compactMap { state.replies[$0] }
                return replies.count == ids.count ? replies : nil
            }
        }
        return try zip(replies, ids).map { try Self.sorted($0, to: $1) }
    }

    /// Answers without what comes before their `result` or `error`. An attacker's questions get few different ones.
    private static let sortedAnswers = Mutex<[String: String]>([:])
    private static let sortedAnswersMax = 10_000

    /// The same of an answer to the question of this id.
    private static func sorted(_ answer: String, to id: Int) throws -> String {
        let start = "{\"jsonrpc\":\"2.0\",\"id\":\(id),"
        guard answer.hasPrefix(start) else { return try sorted(answer) }
        let key = String(answer.dropFirst(start.count))
        if let known = sortedAnswers.withLock({ $0[key] }) { return known }
        let value = try sorted(answer)
        sortedAnswers.withLock { answers in
            if answers.count >= sortedAnswersMax { answers.removeAll() }
            answers[key] = value
        }
        return value
    }

    /// JSON with its members in one order, as a server writes them in any, and without the question's id.
    static func sorted(_ json: String) throws -> String {
        var value = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
        if var object = value as? [String: Any] {
            object["id"] = nil
            value = object
        }
        let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    /// The result of a request that must be answered with one.
    func call<M: RPCMethod>(_ method: M.Type, _ params: M.Params) async throws -> M.Result {
        let id = try post(M.name, String(decoding: try WireJSON.encode(params), as: UTF8.self))
        let reply = try await eventually("an answer to \(M.name)") { self.state.withLock { $0.replies[id] } }
        if let failure = try? WireJSON.decode(Refused.self, from: Array(reply.utf8)) { throw failure.error }
        return try WireJSON.decode(Success<M.Result>.self, from: Array(reply.utf8)).result
    }

    private struct Refused: Decodable { let error: RPCError }

    /// What the first frames had of something, so that no frame is decoded again and again.
    private struct Decoded<Element: Sendable> {
        private var frames = 0
        private var elements: [Element] = []

        mutating func all(in frames: [String], _ decode: (String) -> [Element]) -> [Element] {
            elements += frames.dropFirst(self.frames).flatMap(decode)
            self.frames = frames.count
            return elements
        }
    }
    private let decodedEvents = Mutex<[Int64: Decoded<Pushed>]>([:])
    private let decodedSignals = Mutex(Decoded<UserSignal>())

    /// What was pushed, or told by a reply, of a conversation's log, in the order in which it came.
    func events(of conversation: Int64) -> [Pushed] {
        decodedEvents.withLock {
            $0[conversation, default: Decoded()].all(in: frames) { frame in
                guard frame.contains("\"chat/\(conversation)\"") else { return [] }
                let bytes = Array(frame.utf8)
                if let push = try? WireJSON.decode(Push<ChatEvent>.self, from: bytes).params, let offset = push.offset {
                    return [Pushed(offset: offset, event: push.data)]
                }
                let reply = try? WireJSON.decode(Success<Resumed<ChatEvent>>.self, from: bytes).result
                return (reply?.publications ?? []).map { Pushed(offset: $0.offset, event: $0.data) }
            }
        }
    }

    /// What the account was told.
    var signals: [UserSignal] {
        decodedSignals.withLock {
            $0.all(in: frames) { frame in
                guard frame.contains("\"user/"),
                    let push = try? WireJSON.decode(Push<UserSignal>.self, from: Array(frame.utf8)).params,
                    push.topic.hasPrefix("user/")
                else { return [] }
                return [push.data]
            }
        }
    }
}

/// Somebody with an account.
struct ChatPerson: Sendable {
    let client: ChatClient
    let token: String
    let id: Int64
    let username: String

    /// Registers somebody, who can be suggested to others when there is a last name.
    init(_ server: TestServer, lastName: String? = nil) async throws {
        let (connection, signedIn) = try await server.register()
        await connection.close()
        client = try await ChatClient(server, token: signedIn.token)
        (token, id, username) = (signedIn.token, signedIn.account.id, signedIn.account.username)
        if let lastName { try await introduce(lastName) }
    }

    /// Can be suggested to others from now on.
    func introduce(_ lastName: String) async throws {
        let options = try await client.call(BuddiesOptions.self, Empty())
        _ = try await client.call(BuddiesAgree.self, .init(version: options.rulesVersion))
        _ = try await client.call(
            ProfileSave.self, .init(firstName: "Vera", lastName: lastName, birthday: "2001-02-03", gender: .female))
        try await saveBuddyProfile()
    }

    func saveBuddyProfile(picture: String? = nil) async throws {
        let answer = try await client.ask(
            "buddies.save",
            """
            {"active":true,"preferredGender":"any","genderOnly":false,"showsAge":false,"description":"hi",\
            \(picture.map { "\"picture\":\"\($0)\"," } ?? "")"times":["mon-evening"],"goals":[],"strengths":[],"styles":[],\
            "places":[],"traits":[],"desiredTraits":[],"desiredStyles":[]}
            """)
        guard answer.contains("result") else { throw NeverHappened(what: "a buddy profile: \(answer)", limit: .zero) }
    }

    /// The two find each other, as people do.
    /// - Returns: Their conversation.
    @discardableResult
    func match(_ other: ChatPerson) async throws -> Int64 {
        _ = try await client.call(BuddiesDecide.self, .init(account: other.id, accept: true))
        let result = try await other.client.call(BuddiesDecide.self, .init(account: id, accept: true))
        guard let conversation = result.conversation else { throw NeverHappened(what: "a match", limit: .zero) }
        return conversation
    }

    @discardableResult
    func send(_ text: String?, in conversation: Int64, picture: String? = nil) async throws -> Int64 {
        let params = ChatSend.Params(conversation: conversation, id: UUID().uuidString, text: text, picture: picture)
        return try await client.call(ChatSend.self, params).offset ?? 0
    }

    func makeGroup(_ name: String, with others: [ChatPerson]) async throws -> Int64 {
        let group = try await client.call(
            GroupCreate.self, .init(id: UUID().uuidString, name: name, invite: others.map(\.id))
        ).conversation
        return group
    }

    func join(_ group: Int64) async throws {
        _ = try await client.call(GroupAnswer.self, .init(conversation: group, accept: true))
    }

    /// Uploads a picture.
    func upload(_ bytes: [UInt8], to server: TestServer, purpose: String = "chat") async throws -> String {
        try await server.upload(bytes, token: token, purpose: purpose)
    }
}

extension TestServer {
    /// Uploads a picture; its id.
    func upload(_ bytes: [UInt8], token: String, purpose: String) async throws -> String {
        let socket = try RawSocket(port: port)
        defer { socket.close() }
        let head =
            "POST /pictures?purpose=\(purpose) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Type: image/jpeg\r\nContent-Length: \(bytes.count)\r\n\r\n"
        try await socket.send(Array(head.utf8) + bytes)
        let answer = try await socket.response()
        return try WireJSON.decode(UploadedPicture.self, from: answer.body).picture
    }
}
