import Hub
import Services
import Wire

extension Router {
    /// Adds the methods of passkeys and second factors.
    mutating func addSecondFactors(_ services: ServiceSet) {
        addPasskeys(services)
        let (factors, hub) = (services.secondFactors, services.hub)
        addForAccount(AccountSecondFactors.self) { identity, _ in try await factors.state(identity) }
        addForAccount(AccountBeginTOTP.self) { try await factors.beginTOTP($1, by: $0) }
        add(AccountConfirmTOTP.self) { caller, params in
            let codes = try await factors.confirmTOTP(params, by: try caller.requireIdentity())
            await Self.factorsChanged(caller, services)
            return codes
        }
        add(AccountRemoveTOTP.self) { caller, params in
            try await factors.removeTOTP(params, by: try caller.requireIdentity())
            await Self.factorsChanged(caller, services)
            return Empty()
        }
        addForAccount(AccountMakeRecoveryCodes.self) { try await factors.makeRecoveryCodes($1, by: $0) }
        add(AccountSecondFactor.self) { caller, params in
            let (signedIn, identity) = try await factors.complete(params, client: caller.client)
            await Self.signIn(caller, as: identity, hub)
            return signedIn
        }
    }

    private mutating func addPasskeys(_ services: ServiceSet) {
        let (passkeys, hub) = (services.passkeys, services.hub)
        addForAccount(AccountPasskeys.self) { identity, _ in try await passkeys.list(identity) }
        addForAccount(AccountBeginPasskey.self) { try await passkeys.begin($1, by: $0) }
        add(AccountAddPasskey.self) { caller, params in
            let added = try await passkeys.add(params, by: try caller.requireIdentity())
            await Self.factorsChanged(caller, services)
            return added
        }
        addForAccount(AccountRenamePasskey.self) {
            AccountRenamePasskey.Result(passkey: try await passkeys.rename($1, by: $0))
        }
        add(AccountRemovePasskey.self) { caller, params in
            try await passkeys.remove(params, by: try caller.requireIdentity())
            await Self.factorsChanged(caller, services)
            return Empty()
        }
        addForAccount(AccountBeginPasskeyProof.self) { identity, _ in try await passkeys.beginProof(identity) }
        add(AccountBeginPasskeyLogin.self) { _, _ in passkeys.beginSignIn() }
        add(AccountPasskeyLogin.self) { caller, params in
            let (signedIn, identity) = try await passkeys.signIn(params, client: caller.client)
            await Self.signIn(caller, as: identity, hub)
            return signedIn
        }
    }

    /// Continues the connection with the account as it is now, so that a new second factor opens what needs one. The account's other
    /// devices read it again.
    private static func factorsChanged(_ caller: any Caller, _ services: ServiceSet) async {
        guard let identity = caller.identity else { return }
        if let own = try? await services.accounts.own(identity) {
            _ = try? await refreshed(caller, own, services.hub)
        }
        await services.hub.signals.publish([AccountSignal(identity.account.id, UserSignal(type: .account))], by: 0)
    }
}
