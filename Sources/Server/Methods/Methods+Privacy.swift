import Services
import Wire

extension Router {
    /// Adds the methods for hidden locations.
    mutating func addPrivacy(_ privacy: Privacy) {
        addForAccount(PrivacySettingsGet.self) { identity, _ in try await privacy.settings(of: identity) }
        let limits = limits
        // Limited because each change may recompute routes.
        addForAccount(PrivacySettingsSave.self) { identity, params in
            try limits.listing(of: identity.account.id)
            return try await privacy.save(params, of: identity)
        }
        addForAccount(PrivacyZones.self) { identity, _ in
            PrivacyZones.Result(zones: try await privacy.zones(of: identity))
        }
        addForAccount(PrivacySaveZone.self) { identity, params in
            try limits.listing(of: identity.account.id)
            return try await privacy.save(params, of: identity)
        }
        addForAccount(PrivacyDeleteZone.self) { identity, params in
            try limits.listing(of: identity.account.id)
            return try await privacy.delete(params, of: identity)
        }
    }
}
