import Wire

/// The methods of the API with the shapes of their parameters and results, read from the declarations in ``Wire/APIRegistry``.
/// `doctor --api` prints them; tests and the fuzzer make requests from them.
public enum MethodCatalogue {
    /// One method of the API. `subscribe` has one entry for each kind of topic.
    public struct Method: Sendable {
        public let name: String
        public let access: MethodAccess
        /// Path of the topic, for `subscribe`.
        public let topic: String?
        /// Signature as `doctor --api` prints it.
        public let line: String
        /// Example parameters of the right shape as JSON; nil if no example can be constructed.
        public let exampleParams: [UInt8]?
        /// Shape of the parameters.
        public let params: WireShape
        /// Type of the result.
        public let result: any (Decodable & Sendable).Type
        /// Whether only servers with `--test-endpoints` have the method.
        public var isForTests: Bool { name.hasPrefix("test.") }
    }

    /// All methods, in the order of the reference.
    public static let methods: [Method] = APIRegistry.methods.flatMap { method in
        method.name == Subscribe.name ? APIRegistry.topics.compactMap(subscribe) : [entry(method)]
    }

    /// Signatures as `doctor --api` prints them.
    public static var lines: [String] { methods.map(\.line) }

    private static func entry<M: RPCMethod>(_ method: M.Type) -> Method {
        let (params, example) = described(M.Params.self)
        let (result, _) = described(M.Result.self)
        return Method(
            name: M.name, access: M.access, topic: nil, line: "\(M.name)(\(params)) -> {\(result)}, for \(M.access)",
            exampleParams: example.flatMap { try? WireJSON.encode($0) }, params: WireShape.of(M.Params.self),
            result: M.Result.self)
    }

    private static func subscribe(_ topic: TopicDeclaration) -> Method? {
        guard let reply = topic.reply else { return nil }
        let params = topic.params.map { $0 == "since" ? ", since: {epoch, offset}?" : ", \($0): String?" }.joined()
        return Method(
            name: Subscribe.name, access: Subscribe.access, topic: topic.pattern,
            line: "subscribe(topic: \(topic.pattern)\(params)) -> {\(members(of: reply))}, for \(topic.access)",
            exampleParams: try? WireJSON.encode(SubscribeParams(topic: topic.example)),
            params: WireShape.of(SubscribeParams.self), result: reply)
    }

    private static func described<T: Decodable>(_ type: T.Type) -> (members: String, example: T?) {
        let recorder = MemberRecorder()
        // Decoding stops at the first member without an example value; the synthesised code decodes members in order.
        let example = try? T(from: RecordingDecoder(recorder: recorder))
        return (recorder.members.joined(separator: ", "), example)
    }

    private static func members(of type: any (Decodable & Sendable).Type) -> String {
        func members<T: Decodable>(_ type: T.Type) -> String { described(type).members }
        return members(type)
    }
}

extension TopicDeclaration {
    /// Path of one topic of the kind, for examples.
    public var example: String { pattern.replacing(/<[a-z]+>/, with: "1") }
}
