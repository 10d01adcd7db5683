import Hub
import Wire

extension MethodCatalogue {
    /// One method; `subscribe` has one for each kind of topic.
    public struct Method: Sendable {
        /// Its name on the wire.
        public let name: String
        public let access: MethodAccess
        /// With what it takes and gives, as `doctor --api` prints it.
        public let line: String
        /// Parameters of the right shape as JSON, made up; nil where they cannot be.
        public let exampleParams: [UInt8]?
        /// What its parameters look like.
        public let params: WireShape
        /// The type of its result.
        public let result: any (Decodable & Sendable).Type
        /// Only servers with `--test-endpoints` have it.
        public var isForTests: Bool { name.hasPrefix("test.") }
    }

    /// As `doctor --api` prints it.
    public static var lines: [String] { methods.map(\.line) }

    static var admin: [Method] {
        [
            line(AdminUsers.self), line(AdminUserGet.self), line(AdminAddUser.self), line(AdminWelcomeUser.self),
            line(AccountAccept.self), line(AdminEditUser.self), line(AdminDisableUser.self),
            line(AdminEnableUser.self), line(AdminSignOutUser.self), line(AdminDeleteUser.self), line(PlacesList.self),
            line(AdminSavePlace.self), line(AdminDeletePlace.self), line(AdminSaveZone.self),
            line(AdminDeleteZone.self), line(AdminFiguresGet.self), line(AdminAudit.self),
        ]
    }

    static func line<M: RPCMethod>(_ method: M.Type) -> Method {
        let (params, example) = described(M.Params.self)
        let (result, _) = described(M.Result.self)
        return Method(
            name: M.name, access: M.access, line: "\(M.name)(\(params)) -> {\(result)}, for \(M.access)",
            exampleParams: example.flatMap { try? WireJSON.encode($0) }, params: WireShape.of(M.Params.self),
            result: M.Result.self)
    }

    static func subscribe<T: Decodable & Sendable>(_ params: String, _ topic: Topic, _ result: T.Type) -> Method {
        Method(
            name: SubscribeNotices.name, access: SubscribeNotices.access,
            line: "subscribe(topic: \(params)) -> {\(described(result).members)}, for \(topic.access)",
            exampleParams: try? WireJSON.encode(SubscribeParams(topic: topic.description)),
            params: WireShape.of(SubscribeParams.self), result: T.self)
    }

    private static func described<T: Decodable>(_ type: T.Type) -> (members: String, example: T?) {
        let recorder = MemberRecorder()
        // Decoding stops at the first member that a recorder cannot make up; the synthesised code asks in order.
        let example = try? T(from: RecordingDecoder(recorder: recorder))
        return (recorder.members.joined(separator: ", "), example)
    }
}
