// Settings that apply on all devices of an account (C-6, T-6).

/// Colours of the app.
public enum Theme: String, WireChoice {
    /// As the device is set.
    case system
    case light, dark
}

/// Units of pace and speed.
public enum SpeedUnit: String, WireChoice {
    /// Minutes for a kilometre on runs, km/h on rides.
    case auto
    /// Minutes for a kilometre.
    case pace
    /// Kilometres an hour.
    case kmh
    /// Metres a second.
    case ms
}

/// Whether a person has seen the tutorial of the app (U-9).
public enum TutorialState: String, WireChoice {
    /// It is still to be shown.
    case new
    /// It was finished or skipped, on any device.
    case seen
}

/// The settings of an account.
public struct AccountSettings: Codable, Sendable, Equatable {
    public var theme: Theme
    public var units: SpeedUnit
    /// Audience that the form of a new session begins with.
    public var audience: Audience
    /// False while the person has switched the location off: no session and no share starts, and no location is taken.
    public var location: Bool
    /// Servers of earlier releases do not send it.
    public var tutorial: TutorialState?
    public var versions: SettingVersions
    public init(
        theme: Theme = .system, units: SpeedUnit = .auto, audience: Audience = .private, location: Bool = true,
        tutorial: TutorialState = .new, versions: SettingVersions = SettingVersions()
    ) {
        self.theme = theme
        self.units = units
        self.audience = audience
        self.location = location
        self.tutorial = tutorial
        self.versions = versions
    }
}

/// Number of changes of each setting; 0 for one that was never changed. Of two answers, the one with the higher number is newer.
public struct SettingVersions: Codable, Sendable, Equatable {
    @Revision public var theme: Int
    @Revision public var units: Int
    @Revision public var audience: Int
    @Revision public var location: Int
    /// Clients of earlier releases do not send it.
    @Revision public var tutorial: Int?
    public init(theme: Int = 0, units: Int = 0, audience: Int = 0, location: Int = 0, tutorial: Int = 0) {
        self.theme = theme
        self.units = units
        self.audience = audience
        self.location = location
        self.tutorial = tutorial
    }
}

public enum AccountSettingsGet: RPCMethod {
    public static let name = "account.settings"
    public static let summary = "Returns the caller's settings, which apply on all devices."
    public static let access = MethodAccess.accounts
    public static let isForProvisional = true
    public typealias Params = Empty
    public typealias Result = AccountSettings
}

public enum AccountSaveSettings: RPCMethod {
    public static let name = "account.saveSettings"
    public static let summary = """
        Changes the given settings on all devices. Switching the location off ends all shares, pauses running sessions and forgets \
        the reported location.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let isForProvisional = true
    // Each change is signalled to all devices of the account.
    public static let limits: [MethodLimit] = [.each(.list)]
    /// The settings to change. Omitted settings keep their value.
    public struct Params: Codable, Sendable {
        public var theme: Theme?
        public var units: SpeedUnit?
        public var audience: Audience?
        public var location: Bool?
        public var tutorial: TutorialState?
        /// Versions that the device knew when the person chose. With it, a wider audience or `location: true` is ignored if another device
        /// changed that setting since; the result has the kept value.
        public var base: SettingVersions?
        public init(
            theme: Theme? = nil, units: SpeedUnit? = nil, audience: Audience? = nil, location: Bool? = nil,
            tutorial: TutorialState? = nil, base: SettingVersions? = nil
        ) {
            self.theme = theme
            self.units = units
            self.audience = audience
            self.location = location
            self.tutorial = tutorial
            self.base = base
        }
    }
    /// All settings after the change.
    public typealias Result = AccountSettings
}

extension APIRegistry {
    static let settings: [any RPCMethod.Type] = [AccountSettingsGet.self, AccountSaveSettings.self]
}
