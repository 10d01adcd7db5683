import Postgres
import Wire

/// Settings that apply on all devices of an account (C-6, T-6).
extension Profiles {
    private static let settingsSQL = "SELECT name, value, version FROM account_settings WHERE account_id = $1"

    /// Returns the caller's settings.
    /// - Throws: ``Postgres/PostgresError``.
    public func settings(of identity: Identity) async throws -> AccountSettings {
        try Self.settings(try await database.query(Self.settingsSQL, [.int(identity.account.id)]))
    }

    private static func settings(_ rows: PostgresRows) throws -> AccountSettings {
        var settings = AccountSettings()
        for row in rows {
            let (name, value, version) = (try row.text("name"), try row.text("value"), Int(try row.int("version")))
            switch name {
            case "theme":
                settings.theme = Theme(rawValue: value) ?? settings.theme
                settings.versions.theme = version
            case "units":
                settings.units = SpeedUnit(rawValue: value) ?? settings.units
                settings.versions.units = version
            case "audience":
                settings.audience = Audience(rawValue: value) ?? settings.audience
                settings.versions.audience = version
            case "location":
                settings.location = value == "on"
                settings.versions.location = version
            case "tutorial":
                settings.tutorial = TutorialState(rawValue: value) ?? settings.tutorial
                settings.versions.tutorial = version
            // A setting of a newer release.
            default: break
            }
        }
        return settings
    }

    /// Names of the settings that a change would open to more people although the device did not know their newest value: the person may
    /// have closed them on another device since. A change that closes is never outdated.
    private static func outdated(_ params: AccountSaveSettings.Params, _ stored: AccountSettings) -> Set<String> {
        guard let base = params.base else { return [] }
        var names: Set<String> = []
        if params.location == true, base.location < stored.versions.location { names.insert("location") }
        if let audience = params.audience, base.audience < stored.versions.audience,
            Self.reach(of: audience) > Self.reach(of: stored.audience)
        {
            names.insert("audience")
        }
        return names
    }

    private static func reach(of audience: Audience) -> Int { Audience.allCases.firstIndex(of: audience) ?? 0 }

    /// Changes the given settings. The caller of ``AccountSaveSettings`` applies a change of the location.
    /// - Throws: ``Wire/RPCError`` `unauthenticated`, ``Postgres/PostgresError``.
    public func saveSettings(
        _ params: AccountSaveSettings.Params, of identity: Identity
    ) async throws -> AccountSettings {
        let account = identity.account.id
        let wanted: [(name: String, value: String?)] = [
            ("theme", params.theme?.rawValue), ("units", params.units?.rawValue),
            ("audience", params.audience?.rawValue), ("location", params.location.map { $0 ? "on" : "off" }),
            ("tutorial", params.tutorial?.rawValue),
        ]
        return try await database.transaction { transaction in
            // The start of a session or a share holds this lock as well: it precedes the change, or sees it.
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            try await identity.requireValidToken(in: transaction)
            let stored = try Self.settings(try await transaction.query(Self.settingsSQL, [.int(account)]))
            let outdated = Self.outdated(params, stored)
            let changes = wanted.compactMap { name, value in
                outdated.contains(name) ? nil : value.map { (name: name, value: $0) }
            }
            _ = try await transaction.query(
                """
                INSERT INTO account_settings AS s (account_id, name, value, changed_at)
                SELECT $1, u.name, u.value, $4 FROM unnest($2::text[], $3::text[]) u (name, value)
                ON CONFLICT (account_id, name) DO UPDATE SET value = excluded.value, version = s.version + 1,
                    changed_at = excluded.changed_at
                WHERE s.value <> excluded.value
                """,
                [
                    .int(account), .textArray(changes.map(\.name)), .textArray(changes.map(\.value)),
                    .timestamp(now().milliseconds),
                ])
            return try Self.settings(try await transaction.query(Self.settingsSQL, [.int(account)]))
        }
    }
}
