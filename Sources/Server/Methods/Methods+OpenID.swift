import Hub
import Services
import Wire

/// Methods of sign-in by providers of OpenID Connect.
extension Router {
    private static let noProviders = RPCError(
        .notFound, "this server has no sign-in by other services: log in with your password", field: "provider")

    mutating func addOpenID(_ services: ServiceSet, _ registration: RegistrationPolicy) {
        let (openID, hub) = (services.openID, services.hub)
        @Sendable func required() throws -> OpenIDSignIn {
            guard let openID else { throw Self.noProviders }
            return openID
        }
        add(AccountFinishOpenID.self) { caller, params in
            let (result, identity) = try await required().redeem(params, client: caller.client)
            if let identity { await Self.signIn(caller, as: identity, hub) }
            if result.next == .register, registration != .open { throw RegistrationPolicy.refusal }
            return result
        }
        add(AccountRegisterOpenID.self) { caller, params in
            guard registration == .open else { throw RegistrationPolicy.refusal }
            let (signedIn, identity) = try await required().register(
                params, client: caller.client, isSeen: caller.subscriber != nil)
            await Self.signIn(caller, as: identity, hub)
            return signedIn
        }
        addForAccount(AccountProviders.self) { identity, _ in
            if let openID { return try await openID.list(of: identity) }
            return AccountProviders.Result(
                providers: [], hasPassword: try await services.accounts.hasPassword(of: identity))
        }
        addForAccount(AccountConnectOpenID.self) { try await required().connect($1, by: $0) }
        addForAccount(AccountDisconnectOpenID.self) { try await required().disconnect($1, by: $0) }
    }
}
