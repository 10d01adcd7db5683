import Hub
import Services
import Wire

extension Router {
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
            // Repeated with the request, in case a server stopped after the commit.
            if let isOn = params.location { try await Self.switchLocation(isOn, of: identity, services) }
            await hub.signals.publish([AccountSignal(identity.account.id, UserSignal(type: .settings))], by: 0)
            return settings
        }
    }

    /// Notifies an account's devices that it or its profile changed.
    static func announceAccount(_ identity: Identity, _ hub: Hub) async {
        await hub.signals.publish([AccountSignal(identity.account.id, UserSignal(type: .account))], by: 0)
    }

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
        for session in try await services.tracking.current(identity) where session.state == .running {
            _ = try await services.tracking.pause(identity, SessionTimeParams(session: session.id))
        }
    }
}
