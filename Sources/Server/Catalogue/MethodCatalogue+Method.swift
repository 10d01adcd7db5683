import Hub
import HubCore
import Wire

extension MethodCatalogue {
    /// One method of the API. `subscribe` has one entry for each kind of topic.
    public struct Method: Sendable {
        public let name: String
        public let access: MethodAccess
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

    /// Signatures as `doctor --api` prints them.
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
        // Decoding stops at the first member without an example value; the synthesised code decodes members in order.
        let example = try? T(from: RecordingDecoder(recorder: recorder))
        return (recorder.members.joined(separator: ", "), example)
    }
}
