import Services
import Wire

extension Router {
    /// Adds the methods for hidden locations.
    mutating func addPrivacy(_ privacy: Privacy) {
        addForAccount(PrivacySettingsGet.self) { identity, _ in try await privacy.settings(of: identity) }
        addForAccount(PrivacySettingsSave.self) { try await privacy.save($1, of: $0) }
        addForAccount(PrivacyZones.self) { identity, _ in
            PrivacyZones.Result(zones: try await privacy.zones(of: identity))
        }
        addForAccount(PrivacySaveZone.self) { try await privacy.save($1, of: $0) }
        addForAccount(PrivacyDeleteZone.self) { try await privacy.delete($1, of: $0) }
    }
}
