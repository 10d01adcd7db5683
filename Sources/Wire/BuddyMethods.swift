// Buddies (W-1, W-3, W-4, W-5). The Matching article describes the visibility of each member and the ranking of suggestions.

/// Gender as the person states it.
public enum Gender: String, WireChoice {
    case female, male, other
}

/// Gender of the buddies that a person prefers.
public enum GenderPreference: String, WireChoice {
    case any, female, male, other
}

/// Personal data that W-1 requires for finding a buddy. Only its owner gets it in full.
public struct Profile: Codable, Sendable, Equatable {
    /// 1 to 40 characters.
    public var firstName: String
    /// 1 to 40 characters.
    public var lastName: String
    /// Date such as `2003-04-30`. Sent to its owner only.
    public var birthday: String
    public var gender: Gender
    public init(firstName: String, lastName: String, birthday: String, gender: Gender) {
        self.firstName = firstName
        self.lastName = lastName
        self.birthday = birthday
        self.gender = gender
    }
}

public enum ProfileGet: RPCMethod {
    public static let name = "profile.get"
    public static let summary = "Returns the caller's profile."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Nil until the caller saves a profile.
        public var profile: Profile?
        public init(profile: Profile?) { self.profile = profile }
    }
}

public enum ProfileSave: RPCMethod {
    public static let name = "profile.save"
    public static let summary = "Saves the caller's profile."
    public static let access = MethodAccess.accounts
    public static let texts: [String: TextLimit] = ["firstName": .personName, "lastName": .personName]
    public static let errors: [ErrorCode] = [.conflict]
    public typealias Params = Profile
    public typealias Result = ProfileGet.Result
}

/// One value of a list to choose from.
public struct BuddyOption: Codable, Sendable, Equatable {
    /// Identifier used in requests and results.
    public var id: String
    /// Text to display.
    public var label: String
    public init(id: String, label: String) {
        self.id = id
        self.label = label
    }
}

public enum BuddiesOptions: RPCMethod {
    public static let name = "buddies.options"
    public static let summary = "Returns the rules and the lists to choose from."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// One rule that a person agrees to.
    public struct Rule: Codable, Sendable, Equatable {
        /// Such as `Be Motivated`.
        public var title: String
        /// Explanation of the rule.
        public var text: String
        public init(title: String, text: String) {
            self.title = title
            self.text = text
        }
    }
    /// A list to choose from.
    public struct Choice: Codable, Sendable, Equatable {
        /// Highest number of values that may be chosen.
        public var most: Int
        /// Values in display order.
        public var options: [BuddyOption]
        public init(most: Int, options: [BuddyOption]) {
            self.most = most
            self.options = options
        }
    }
    public struct Result: Codable, Sendable {
        /// Version of the rules. A higher version requires everybody to agree again.
        public var rulesVersion: Int
        /// Version that the caller agreed to; nil if the caller has not agreed.
        public var agreed: Int?
        public var rules: [Rule]
        /// Days of the week, Monday first. Their ids are the part of a time's id before the dash.
        public var days: [BuddyOption]
        /// Parts of a day. Their ids are the part of a time's id after the dash, as in `mon-evening`.
        public var dayParts: [BuddyOption]
        /// At most 3.
        public var goals: Choice
        /// At most 3.
        public var strengths: Choice
        /// At most 2 of the person, and 2 desired ones.
        public var styles: Choice
        /// At most 2.
        public var places: Choice
        /// At most 3 of the person, and 3 desired ones.
        public var traits: Choice
        public init(
            rulesVersion: Int, agreed: Int?, rules: [Rule], days: [BuddyOption], dayParts: [BuddyOption], goals: Choice,
            strengths: Choice, styles: Choice, places: Choice, traits: Choice
        ) {
            self.rulesVersion = rulesVersion
            self.agreed = agreed
            self.rules = rules
            self.days = days
            self.dayParts = dayParts
            self.goals = goals
            self.strengths = strengths
            self.styles = styles
            self.places = places
            self.traits = traits
        }
    }
}

public enum BuddiesAgree: RPCMethod {
    public static let name = "buddies.agree"
    public static let summary = "Records the caller's agreement to the rules."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.conflict]
    public struct Params: Codable, Sendable {
        /// The `rulesVersion` that the client displayed.
        @Revision public var version: Int
        public init(version: Int) { self.version = version }
    }
    public typealias Result = Params
}

/// The caller's buddy profile (W-3). Its ids are those of `buddies.options`.
public struct BuddyProfile: Codable, Sendable, Equatable {
    /// False removes the person from all suggestions.
    public var active: Bool
    public var preferredGender: GenderPreference
    /// True restricts suggestions to the preferred gender, in both directions.
    public var genderOnly: Bool
    /// True shows the age in years; false shows a range of years.
    public var showsAge: Bool
    /// At most 500 characters.
    public var description: String
    /// Id of an uploaded picture with purpose `profile`; nil for the default drawing of the gender.
    public var picture: String?
    /// Ids such as `mon-evening`.
    public var times: [String]
    /// At most 3.
    public var goals: [String]
    /// At most 3.
    public var strengths: [String]
    /// At most 2.
    public var styles: [String]
    /// At most 2.
    public var places: [String]
    /// Traits of the person; at most 3.
    public var traits: [String]
    /// Desired traits of a buddy; at most 3.
    public var desiredTraits: [String]
    /// Desired training styles of a buddy; at most 2.
    public var desiredStyles: [String]
    public init(
        active: Bool = true, preferredGender: GenderPreference = .any, genderOnly: Bool = false, showsAge: Bool = false,
        description: String = "", picture: String? = nil, times: [String] = [], goals: [String] = [],
        strengths: [String] = [], styles: [String] = [], places: [String] = [], traits: [String] = [],
        desiredTraits: [String] = [], desiredStyles: [String] = []
    ) {
        self.active = active
        self.preferredGender = preferredGender
        self.genderOnly = genderOnly
        self.showsAge = showsAge
        self.description = description
        self.picture = picture
        self.times = times
        self.goals = goals
        self.strengths = strengths
        self.styles = styles
        self.places = places
        self.traits = traits
        self.desiredTraits = desiredTraits
        self.desiredStyles = desiredStyles
    }
}

public enum BuddiesMe: RPCMethod {
    public static let name = "buddies.me"
    public static let summary = "Returns the caller's buddy profile."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Nil until the caller saves a buddy profile.
        public var profile: BuddyProfile?
        /// The card that other people see in their suggestions.
        public var preview: BuddyCard?
        public init(profile: BuddyProfile?, preview: BuddyCard?) {
            self.profile = profile
            self.preview = preview
        }
    }
}

public enum BuddiesSave: RPCMethod {
    public static let name = "buddies.save"
    public static let summary = "Saves the caller's buddy profile. Requires `profile.save` and `buddies.agree` first."
    public static let access = MethodAccess.confirmed
    public static let texts: [String: TextLimit] = ["description": .buddyDescription]
    public static let errors: [ErrorCode] = [.forbidden, .conflict]
    public typealias Params = BuddyProfile
    public typealias Result = BuddiesMe.Result
}

/// Card of a buddy or of a suggested person.
public struct BuddyCard: Codable, Sendable, Equatable {
    public var account: Int64
    /// First name; the full name of a buddy.
    public var name: String
    /// Age in years, if the person consented to show it.
    public var age: Int?
    /// Range of years derived from the year of birth, such as `22–25`, if ``age`` is nil.
    public var ageSpan: String?
    public var gender: Gender
    /// Id of a picture; nil for the default drawing of the gender.
    public var picture: String?
    public var description: String
    /// Ids such as `mon-evening`.
    public var times: [String]
    public var goals: [String]
    public var strengths: [String]
    public var styles: [String]
    public var places: [String]
    public var traits: [String]
    /// Ids on the card that both people chose or that the viewer desires. A client highlights them.
    public var shared: [String]
    /// Score of the suggestion as defined in the Matching article; nil for a buddy.
    public var score: Int?
    public init(
        account: Int64, name: String, age: Int?, ageSpan: String?, gender: Gender, picture: String?,
        description: String, times: [String], goals: [String], strengths: [String], styles: [String],
        places: [String], traits: [String], shared: [String], score: Int?
    ) {
        self.account = account
        self.name = name
        self.age = age
        self.ageSpan = ageSpan
        self.gender = gender
        self.picture = picture
        self.description = description
        self.times = times
        self.goals = goals
        self.strengths = strengths
        self.styles = styles
        self.places = places
        self.traits = traits
        self.shared = shared
        self.score = score
    }
}

extension APIRegistry {
    static let buddyProfiles: [any RPCMethod.Type] = [
        ProfileGet.self, ProfileSave.self, BuddiesOptions.self, BuddiesAgree.self, BuddiesMe.self, BuddiesSave.self,
    ]
}
