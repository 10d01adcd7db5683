// Buddies (W-1, W-3, W-4, W-5). Who sees what of whom, and how suggestions are ranked, is in the Matching article.

/// As people say it of themselves.
public enum Gender: String, WireChoice {
    case female, male, other
}

/// Whom one would rather train with.
public enum GenderPreference: String, WireChoice {
    case any, female, male, other
}

/// What W-1 asks of who wants a buddy. Only its owner gets it as it is.
public struct Profile: Codable, Sendable, Equatable {
    /// 1 to 40 characters.
    public var firstName: String
    /// 1 to 40 characters.
    public var lastName: String
    /// Such as `2003-04-30`. Nobody else ever gets it.
    public var birthday: String
    /// As its owner says.
    public var gender: Gender
    public init(firstName: String, lastName: String, birthday: String, gender: Gender) {
        self.firstName = firstName
        self.lastName = lastName
        self.birthday = birthday
        self.gender = gender
    }
}

/// `profile.get`: one's own.
public enum ProfileGet: RPCMethod {
    public static let name = "profile.get"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// One's own, if there is one.
    public struct Result: Codable, Sendable {
        /// Nil as long as none was saved.
        public var profile: Profile?
        public init(profile: Profile?) { self.profile = profile }
    }
}

/// `profile.save`.
public enum ProfileSave: RPCMethod {
    public static let name = "profile.save"
    public static let access = MethodAccess.accounts
    public typealias Params = Profile
    public typealias Result = ProfileGet.Result
}

/// One thing to choose.
public struct BuddyOption: Codable, Sendable, Equatable {
    /// As it goes over the wire.
    public var id: String
    /// For people.
    public var label: String
    public init(id: String, label: String) {
        self.id = id
        self.label = label
    }
}

/// `buddies.options`: the rules, and everything there is to choose from.
public enum BuddiesOptions: RPCMethod {
    public static let name = "buddies.options"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// One rule to agree to.
    public struct Rule: Codable, Sendable, Equatable {
        /// Such as `Be Motivated`.
        public var title: String
        /// What it means.
        public var text: String
        public init(title: String, text: String) {
            self.title = title
            self.text = text
        }
    }
    /// A list to choose from.
    public struct Choice: Codable, Sendable, Equatable {
        /// How many may be chosen.
        public var most: Int
        /// In the order to show.
        public var options: [BuddyOption]
        public init(most: Int, options: [BuddyOption]) {
            self.most = most
            self.options = options
        }
    }
    /// The lists.
    public struct Result: Codable, Sendable {
        /// Grows when the rules change: everybody agrees anew.
        public var rulesVersion: Int
        /// The version that the caller agreed to; nil when to none.
        public var agreed: Int?
        /// What to agree to.
        public var rules: [Rule]
        /// Days of the week, Monday first: the part of a time's id before the dash.
        public var days: [BuddyOption]
        /// Parts of a day: the part behind the dash, as in `mon-evening`.
        public var dayParts: [BuddyOption]
        /// Up to 3.
        public var goals: Choice
        /// Up to 3.
        public var strengths: Choice
        /// Up to 2, of oneself and of the other.
        public var styles: Choice
        /// Up to 2.
        public var places: Choice
        /// Up to 3, of oneself and of the other.
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

/// `buddies.agree`: to the rules.
public enum BuddiesAgree: RPCMethod {
    public static let name = "buddies.agree"
    public static let access = MethodAccess.accounts
    /// Which rules.
    public struct Params: Codable, Sendable {
        /// The `rulesVersion` that was shown.
        @Revision public var version: Int
        public init(version: Int) { self.version = version }
    }
    public typealias Result = Params
}

/// What one says of oneself to find a buddy (W-3). Ids are those of `buddies.options`.
public struct BuddyProfile: Codable, Sendable, Equatable {
    /// False takes oneself out of everybody's suggestions.
    public var active: Bool
    /// Whom one would rather train with.
    public var preferredGender: GenderPreference
    /// True: only they are suggested, and only to them one is.
    public var genderOnly: Bool
    /// True shows the age in years; otherwise others get a span of years.
    public var showsAge: Bool
    /// At most 500 characters.
    public var description: String
    /// The id of an uploaded picture with purpose `profile`; nil for the drawing that goes with the gender.
    public var picture: String?
    /// Such as `mon-evening`.
    public var times: [String]
    /// At most 3.
    public var goals: [String]
    /// At most 3.
    public var strengths: [String]
    /// At most 2.
    public var styles: [String]
    /// At most 2.
    public var places: [String]
    /// Of oneself; at most 3.
    public var traits: [String]
    /// Of the other; at most 3.
    public var desiredTraits: [String]
    /// Of the other; at most 2.
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

/// `buddies.me`: one's own buddy profile.
public enum BuddiesMe: RPCMethod {
    public static let name = "buddies.me"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// One's own, if there is one.
    public struct Result: Codable, Sendable {
        /// Nil as long as none was saved.
        public var profile: BuddyProfile?
        /// As others see it in their suggestions.
        public var preview: BuddyCard?
        public init(profile: BuddyProfile?, preview: BuddyCard?) {
            self.profile = profile
            self.preview = preview
        }
    }
}

/// `buddies.save`: after `profile.save` and `buddies.agree`.
public enum BuddiesSave: RPCMethod {
    public static let name = "buddies.save"
    public static let access = MethodAccess.accounts
    public typealias Params = BuddyProfile
    public typealias Result = BuddiesMe.Result
}

/// Somebody as one may see them: suggested, or a buddy.
public struct BuddyCard: Codable, Sendable, Equatable {
    /// The account's number.
    public var account: Int64
    /// The first name; of a buddy the full name.
    public var name: String
    /// With the person's consent, in years.
    public var age: Int?
    /// Otherwise a span of years by the year of birth, such as `22–25`.
    public var ageSpan: String?
    /// As they say.
    public var gender: Gender
    /// The id of a picture; nil for the drawing that goes with the gender.
    public var picture: String?
    /// What they say of themselves.
    public var description: String
    /// Such as `mon-evening`.
    public var times: [String]
    /// What they train for.
    public var goals: [String]
    /// What they are good at.
    public var strengths: [String]
    /// How they train.
    public var styles: [String]
    /// Where they train.
    public var places: [String]
    /// How they are.
    public var traits: [String]
    /// Of what is on the card, that which both chose, or the viewer wishes for: ids of the lists, to be pointed out.
    public var shared: [String]
    /// Of the suggestion, as the Matching article says; nil of a buddy.
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
