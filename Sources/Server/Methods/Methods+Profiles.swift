import Hub
import Services
import Wire

extension Router {
    /// Adds a method that saves settings of the caller's account. All its devices learn of the change at once (C-6).
    mutating func addSetting<M: RPCMethod>(
        _ method: M.Type, _ hub: Hub, _ save: @escaping @Sendable (Identity, M.Params) async throws -> M.Result
    ) {
        addForAccount(method) { identity, params in
            let result = try await save(identity, params)
            await hub.signals.publish([AccountSignal(identity.account.id, UserSignal(type: .settings))], by: 0)
            return result
        }
    }

    /// Adds the methods for the profile and the settings of an account. All its devices learn of a change at once.
    mutating func addProfiles(_ services: ServiceSet) {
        let (profiles, accounts, hub) = (services.profiles, services.accounts, services.hub)
        addForAccount(AccountProfileGet.self) { identity, _ in try await profiles.profile(of: identity) }
        add(AccountUpdateProfile.self) { caller, params in
            let identity = try caller.requireIdentity()
            let profile = try await profiles.update(params, of: identity)
            await Self.announceAccount(identity, hub)
            // Committed regardless: the next `hello` brings the account.
            if let own = try? await accounts.own(identity) { _ = try await Self.refreshed(caller, own, hub) }
            return profile
        }
        addForAccount(AccountSettingsGet.self) { identity, _ in try await profiles.settings(of: identity) }
        addForAccount(AccountSaveSettings.self) { identity, params in
            let settings = try await profiles.saveSettings(params, of: identity)
            // Committed: the other devices stop by themselves, even if a step below fails.
            await hub.signals.publish([AccountSignal(identity.account.id, UserSignal(type: .settings))], by: 0)
            // Repeated with the request, in case a server stopped after the commit. An outdated choice was not stored.
            if params.location != nil { try await Self.switchLocation(settings.location, of: identity, services) }
            return settings
        }
    }

    /// Notifies an account's devices that it or its profile changed.
    static func announceAccount(_ identity: Identity, _ hub: Hub) async {
        await hub.signals.publish([AccountSignal(identity.account.id, UserSignal(type: .account))], by: 0)
    }

    /// Refusals of a pause that leave nothing to be done.
    private static let cannotPause = Set([ErrorCode.conflict, .notFound, .invalidParams].map(\.rawValue))

    /// Applies the location switch (C-6). Off ends what others see first, then what the server records.
    private static func switchLocation(_ isOn: Bool, of identity: Identity, _ services: ServiceSet) async throws {
        if !isOn {
            await services.hub.shares.clearLocation(of: identity.account.id)
            _ = try await services.sharing.stopAll(by: identity)
        }
        try await services.privacy.locationSwitched(of: identity)
        guard !isOn else { return }
        // A report may have come before all nodes knew of the switch.
        await services.hub.shares.clearLocation(of: identity.account.id)
        var failure: (any Error)?
        for session in try await services.tracking.current(identity) where session.state == .running {
            do {
                _ = try await services.tracking.pause(identity, SessionTimeParams(session: session.id))
            } catch let error as RPCError where Self.cannotPause.contains(error.code) {
                // It ended meanwhile, or cannot be paused now. It is hidden in either case.
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
