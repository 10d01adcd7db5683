// The profile of an account (U-3, N-3, C-2, W-1). The Matching article describes who sees which name and picture.

/// Default place of a person for what depends on a location (C-2). Sent to its owner only.
public struct HomeLocation: Codable, Sendable, Equatable {
    /// Degrees.
    @Latitude public var lat: Double
    /// Degrees.
    @Longitude public var lon: Double
    /// Name for the owner, 1 to 60 characters.
    public var name: String
    public init(lat: Double, lon: Double, name: String) {
        self.lat = lat
        self.lon = lon
        self.name = name
    }
}

/// The caller's profile, as only the caller gets it.
public struct AccountProfile: Codable, Sendable, Equatable {
    public var username: String
    /// Time from which ``AccountUpdateProfile`` changes the username again; nil if it does so now.
    public var usernameFrom: Timestamp?
    /// Nil if the person has not entered it.
    public var firstName: String?
    /// Nil if the person has not entered it.
    public var lastName: String?
    /// Name that the caller and the caller's buddies see.
    public var displayName: String
    /// Id of the account's picture; nil for the default drawing.
    public var picture: String?
    /// Gender of ``Profile``, for the default drawing; nil without one.
    public var gender: Gender?
    /// Course of study or field of work; nil if the person has not entered it.
    public var degree: String?
    /// Ids of ``AccountProfileGet/Result/interests``.
    public var interests: [String]
    /// Nil if the person has not chosen one.
    public var home: HomeLocation?
    /// Time of registration.
    public var createdAt: Timestamp
    public init(
        username: String, usernameFrom: Timestamp? = nil, firstName: String? = nil, lastName: String? = nil,
        displayName: String, picture: String? = nil, gender: Gender? = nil, degree: String? = nil,
        interests: [String] = [], home: HomeLocation? = nil, createdAt: Timestamp
    ) {
        self.username = username
        self.usernameFrom = usernameFrom
        self.firstName = firstName
        self.lastName = lastName
        self.displayName = displayName
        self.picture = picture
        self.gender = gender
        self.degree = degree
        self.interests = interests
        self.home = home
        self.createdAt = createdAt
    }
}

public enum AccountProfileGet: RPCMethod {
    public static let name = "account.profile"
    public static let summary = "Returns the caller's profile, and the interests to choose from."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        public var profile: AccountProfile
        /// Kinds of workouts, in display order. Events of a kind that the person chose are suggested to them.
        public var interests: [BuddyOption]
        public init(profile: AccountProfile, interests: [BuddyOption]) {
            self.profile = profile
            self.interests = interests
        }
    }
}

public enum AccountUpdateProfile: RPCMethod {
    public static let name = "account.updateProfile"
    public static let summary = "Changes the given parts of the caller's profile. The last change of each part holds."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = [
        "username": .username, "firstName": .personName, "lastName": .personName, "degree": .degree,
    ]
    // Each change is signalled to all devices of the account.
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.conflict, .rejected]
    /// The parts to change. Parts that are not given keep their value, so that devices do not undo each other's changes.
    public struct Params: Codable, Sendable {
        /// 4 to 20 letters and digits. Changes at most twice in 30 days, and not during a session or a share, whose viewers know the
        /// present one. Nobody else can take the former one for 90 days. Its spelling changes at most 20 times a day.
        public var username: String?
        /// At most 40 characters; empty removes it. A person with a profile for buddies (`profile.save`) keeps a first and a last name.
        /// The names change at most 20 times a day.
        public var firstName: String?
        /// As `firstName`.
        public var lastName: String?
        /// Id of an uploaded picture with purpose `profile`.
        public var picture: String?
        /// True removes the picture.
        public var removePicture: Bool?
        /// At most 80 characters; empty removes it.
        public var degree: String?
        /// Ids of ``AccountProfileGet/Result/interests``; all that the person has.
        public var interests: [String]?
        public var home: HomeLocation?
        /// True removes the home location.
        public var removeHome: Bool?
        public init(
            username: String? = nil, firstName: String? = nil, lastName: String? = nil, picture: String? = nil,
            removePicture: Bool? = nil, degree: String? = nil, interests: [String]? = nil, home: HomeLocation? = nil,
            removeHome: Bool? = nil
        ) {
            self.username = username
            self.firstName = firstName
            self.lastName = lastName
            self.picture = picture
            self.removePicture = removePicture
            self.degree = degree
            self.interests = interests
            self.home = home
            self.removeHome = removeHome
        }
    }
    /// The profile after the change.
    public typealias Result = AccountProfile
}

extension APIRegistry {
    static let profile: [any RPCMethod.Type] = [AccountProfileGet.self, AccountUpdateProfile.self]
}
