import Wire

/// A list of options. A selection is stored as a bit mask; an option's bit is its index in the list.
///
/// Never reorder a list or remove an option, because stored selections would change their meaning. Append new options. Clients use the
/// ids, and no two lists share an id, so that an id is unambiguous.
struct OptionList: Sendable {
    /// Field of `BuddyProfile`, and column of the table.
    let name: String
    /// Largest number of selected options.
    let most: Int
    let options: [BuddyOption]
    private let bits: [String: Int64]

    init(_ name: String, most: Int, _ options: [(id: String, label: String)]) {
        precondition(options.count <= 31, "a column has 31 bits")
        self.name = name
        self.most = most
        self.options = options.map { BuddyOption(id: $0.id, label: $0.label) }
        bits = Dictionary(uniqueKeysWithValues: options.enumerated().map { ($1.id, 1 << Int64($0)) })
    }

    /// Bit mask of the selected options.
    /// - Parameter field: Field to report in an error, by default the list's name.
    /// - Throws: ``Wire/RPCError`` for too many or unknown options.
    func mask(_ ids: [String], field: String? = nil) throws -> Int64 {
        let field = field ?? name
        guard ids.count <= most else { throw RPCError.invalid(field, "choose at most \(most)") }
        return try Self.mask(ids, field: field) { bits[$0] }
    }

    /// Ids of the selected options, in list order.
    func ids(_ mask: Int64) -> [String] {
        options.enumerated().filter { mask & (1 << Int64($0.offset)) != 0 }.map(\.element.id)
    }

    var choice: BuddiesOptions.Choice { .init(most: most, options: options) }

    static func mask(_ ids: [String], field: String, bit: (String) -> Int64?) throws -> Int64 {
        var mask: Int64 = 0
        for (index, id) in ids.enumerated() {
            guard let bit = bit(id) else {
                throw RPCError.invalid("\(field)[\(index)]", "is not an option: buddies.options lists them")
            }
            mask |= bit
        }
        return mask
    }
}

/// Times of the week as a bit mask: the bit index is day × ``partsMax`` + part of the day. Never reorder, as with ``OptionList``.
enum WeekTimes {
    /// Number of bits reserved per day, so that seven days fit into 63 bits.
    static let partsMax = 8
    static let days = options([
        ("mon", "Monday"), ("tue", "Tuesday"), ("wed", "Wednesday"), ("thu", "Thursday"), ("fri", "Friday"),
        ("sat", "Saturday"), ("sun", "Sunday"),
    ])
    static let parts = options([
        ("early", "before 8:00"), ("morning", "8:00 to 12:00"), ("midday", "12:00 to 14:00"),
        ("afternoon", "14:00 to 18:00"), ("evening", "18:00 to 21:00"), ("night", "after 21:00"),
    ])
    private static let ids = days.flatMap { day in parts.map { "\(day.id)-\($0.id)" } }
    private static let bits = Dictionary(
        uniqueKeysWithValues: ids.enumerated().map { index, id in
            (id, Int64(1) << Int64(index / parts.count * partsMax + index % parts.count))
        })

    /// - Throws: ``Wire/RPCError`` for an unknown time.
    static func mask(_ times: [String]) throws -> Int64 {
        guard times.count <= ids.count else { throw RPCError.invalid("times", "choose at most \(ids.count)") }
        return try OptionList.mask(times, field: "times") { bits[$0] }
    }

    /// Ids of the selected times, in the order of the week.
    static func ids(_ mask: Int64) -> [String] { ids.filter { mask & (bits[$0] ?? 0) != 0 } }

    private static func options(_ pairs: [(id: String, label: String)]) -> [BuddyOption] {
        precondition(pairs.count <= partsMax)
        return pairs.map { BuddyOption(id: $0.id, label: $0.label) }
    }
}

/// The rules and all options (W-3, W-4).
enum BuddyCatalogue {
    /// Version of the rules. Increase it with each change: accounts must agree again, and are not suggested until then.
    static let rulesVersion = 1

    static let rules: [BuddiesOptions.Rule] = [
        .init(
            title: "Be Motivated",
            text: "Come to train. Turn up when you said you would, and say so early when you cannot."),
        .init(
            title: "Build Your Own Community",
            text: "Accept whom you would like to train with. A match opens a chat between the two of you."),
        .init(
            title: "Have Fun",
            text: "Everybody is welcome at their own level. Be kind: no insults, no pressure, nothing unasked for."),
        .init(
            title: "Stay Safe",
            text: """
                Meet in a public place first, and tell somebody where you are. Keep your address, your documents and your money \
                to yourself. Block whom you do not want to hear from, and report what feels wrong: the other is not told.
                """),
        .init(title: "Be Yourself", text: "You are 18 or older, and your name and your pictures are your own."),
    ]

    static let goals = OptionList(
        "goals", most: 3,
        [
            ("build-muscle", "Build muscle"), ("get-stronger", "Get stronger"), ("lose-weight", "Lose weight"),
            ("gain-endurance", "Gain endurance"), ("become-flexible", "Become more flexible"),
            ("stay-healthy", "Stay healthy"), ("finish-a-race", "Finish a race"),
            ("learn-technique", "Learn technique"),
            ("keep-a-routine", "Keep a routine"), ("come-back", "Come back after a break"),
            ("reduce-stress", "Reduce stress"), ("meet-people", "Meet people"),
        ])

    static let strengths = OptionList(
        "strengths", most: 3,
        [
            ("upper-body", "Upper body"), ("core", "Core"), ("legs", "Legs"), ("lifting-form", "Form when lifting"),
            ("running-far", "Running far"), ("running-fast", "Running fast"), ("riding", "Riding"),
            ("swimming-technique", "Swimming technique"), ("mobility", "Mobility"), ("planning", "Planning workouts"),
            ("nutrition", "Nutrition"), ("encouraging", "Encouraging others"),
        ])

    static let styles = OptionList(
        "styles", most: 2,
        [
            ("weights", "Weights"), ("bodyweight", "Bodyweight"), ("intervals", "High-intensity intervals"),
            ("functional", "Functional training"), ("running", "Running"), ("cycling", "Cycling"),
            ("swimming", "Swimming"), ("yoga", "Yoga and Pilates"), ("dance", "Dance and classes"),
            ("martial-arts", "Martial arts"), ("ball-games", "Ball games"), ("walking", "Walking"),
        ])

    static let places = OptionList(
        "places", most: 2,
        [
            ("campus-gym", "Campus gym"), ("other-gym", "Another gym"), ("track", "Athletics track"),
            ("campus-paths", "Paths on campus"), ("park", "Park"), ("pool", "Pool"), ("courts", "Courts and pitches"),
            ("studio", "Studio"), ("beach", "Beach"), ("online", "Online"),
        ])

    static let traits = OptionList(
        "traits", most: 3,
        [
            ("patient", "Patient"), ("motivating", "Motivating"), ("punctual", "Punctual"),
            ("talkative", "Talkative"), ("quiet", "Quiet"), ("funny", "Funny"), ("competitive", "Competitive"),
            ("supportive", "Supportive"), ("disciplined", "Disciplined"), ("relaxed", "Relaxed"),
            ("experienced", "Experienced"), ("beginner", "A beginner"),
        ])

    static func options(agreed: Int?) -> BuddiesOptions.Result {
        BuddiesOptions.Result(
            rulesVersion: rulesVersion, agreed: agreed, rules: rules, days: WeekTimes.days, dayParts: WeekTimes.parts,
            goals: goals.choice, strengths: strengths.choice, styles: styles.choice, places: places.choice,
            traits: traits.choice)
    }
}
