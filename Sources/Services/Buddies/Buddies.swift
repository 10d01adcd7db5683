import EventLoop
import Postgres
import Wire

/// Profiles, suggestions and matches (W-1, W-3, W-4, W-5). An actor on its loop. The Matching article describes which account sees what.
public actor Buddies {
    /// Smallest age in years, because buddies meet strangers.
    static let ageMin = 18
    static let nameCharactersMax = TextLimit.personName.max
    static let descriptionCharactersMax = TextLimit.buddyDescription.max
    /// Earliest permitted year of birth.
    static let birthYearMin = 1_900
    static let cardsDefault = 20
    /// Largest number of cards in a deck and available to ``card(_:_:)``; without a limit, account ids could be tried one by one.
    static let cardsMax = 50
    /// Largest number of decisions within 24 hours, because each decision reveals new people.
    public static let decisionsPerDayMax = 200
    /// Largest number of times a day that an account may save its buddy profile on this server, because each change of its wishes reveals
    /// other people.
    public static let savesPerDayMax = 50
    /// Largest number of times a day that an account may save its profile on this server, because each change of gender reveals other
    /// people.
    public static let profileSavesPerDayMax = 20
    /// Largest number of buddies of an account, and length of the list.
    static let buddiesMax = 1_000
    /// Version of the rules that an account must have agreed to.
    public static let rulesVersion = BuddyCatalogue.rulesVersion

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let people: People
    let events: BuddyHandlers
    let now: @Sendable () -> Timestamp
    private var saveCounts = DailyCounts(max: savesPerDayMax)
    private var profileSaves = DailyCounts(max: profileSavesPerDayMax)

    /// Creates the service of buddies.
    /// - Parameters:
    ///   - events: Handlers of matches and their ends.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, events: BuddyHandlers = BuddyHandlers(),
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.loop = loop
        self.database = database
        self.events = events
        self.now = now
        people = People(database: database)
    }

    var today: CalendarDay { CalendarDay(now()) }

    // MARK: Profiles

    /// Returns the caller's profile (W-1).
    public func profile(_ identity: Identity) async throws -> ProfileGet.Result {
        ProfileGet.Result(profile: try await standing(identity.account.id).profile)
    }

    /// Saves the caller's profile.
    /// - Throws: ``Wire/RPCError``: `invalidParams` with the invalid field; `rateLimited`.
    public func saveProfile(_ identity: Identity, _ params: Profile) async throws -> ProfileGet.Result {
        let profile = Profile(
            firstName: try Inputs.name(params.firstName, "firstName", charactersMax: Self.nameCharactersMax),
            lastName: try Inputs.name(params.lastName, "lastName", charactersMax: Self.nameCharactersMax),
            birthday: try birthday(params.birthday), gender: params.gender)
        if let wait = profileSaves.count(identity.account.id, at: now()) {
            throw RPCError(
                .rateLimited,
                "a profile is saved at most \(Self.profileSavesPerDayMax) times a day: try again tomorrow",
                retryAfter: wait)
        }
        let (account, at) = (identity.account.id, now())
        try await database.transaction { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            let unchanged = try await transaction.query(
                "SELECT FROM profiles WHERE account_id = $1 AND first_name = $2 AND last_name = $3",
                [.int(account), .text(profile.firstName), .text(profile.lastName)])
            if unchanged.isEmpty { try await DailyChange.names.count(of: account, at: at, in: transaction) }
            _ = try await transaction.query(
                """
                INSERT INTO profiles (account_id, first_name, last_name, birthday, gender, updated_at)
                VALUES ($1, $2, $3, $4::date, $5, $6)
                ON CONFLICT (account_id) DO UPDATE SET first_name = excluded.first_name, last_name = excluded.last_name,
                    birthday = excluded.birthday, gender = excluded.gender, updated_at = excluded.updated_at
                """,
                [
                    .int(account), .text(profile.firstName), .text(profile.lastName), .text(profile.birthday),
                    .text(profile.gender.rawValue), .timestamp(at.milliseconds),
                ])
        }
        return ProfileGet.Result(profile: profile)
    }

    private func birthday(_ text: String) throws -> String {
        guard let day = CalendarDay(text) else {
            throw RPCError.invalid("birthday", "must be a day of the calendar, such as 2003-04-30")
        }
        guard day.year >= Self.birthYearMin else { throw RPCError.invalid("birthday", "must not be before 1900") }
        guard day <= today else { throw RPCError.invalid("birthday", "must not be in the future") }
        return day.description
    }

    // MARK: Rules and the buddy profile

    /// Returns the rules and the available options.
    public func options(_ identity: Identity) async throws -> BuddiesOptions.Result {
        BuddyCatalogue.options(agreed: try await standing(identity.account.id).agreed)
    }

    /// Records the caller's agreement to the rules.
    /// - Throws: ``Wire/RPCError`` `conflict` for a version other than the current.
    public func agree(_ identity: Identity, _ params: BuddiesAgree.Params) async throws -> BuddiesAgree.Result {
        guard params.version == BuddyCatalogue.rulesVersion else {
            throw RPCError(
                .conflict, "these are not the current rules: buddies.options has them", field: "version")
        }
        _ = try await database.query(
            """
            INSERT INTO buddy_agreements (account_id, version, agreed_at) VALUES ($1, $2, $3)
            ON CONFLICT (account_id) DO UPDATE SET version = excluded.version, agreed_at = excluded.agreed_at
            WHERE buddy_agreements.version <> excluded.version
            """,
            [.int(identity.account.id), .int(Int64(params.version)), .timestamp(now().milliseconds)])
        return params
    }

    /// Returns the caller's buddy profile and the card that others see.
    public func me(_ identity: Identity) async throws -> BuddiesMe.Result {
        let standing = try await standing(identity.account.id)
        return BuddiesMe.Result(
            profile: standing.buddyProfile, preview: try standing.preview(today: today))
    }

    /// Saves the caller's buddy profile (W-3).
    /// - Throws: ``Wire/RPCError``: `invalidParams`; `conflict` when the rules or the profile come first; `forbidden` below 18;
    ///   `rateLimited`.
    public func save(_ identity: Identity, _ params: BuddyProfile) async throws -> BuddiesMe.Result {
        let account = identity.account.id
        let choices = try Choices(params)
        let description = try Inputs.text(
            params.description, "description", charactersMax: Self.descriptionCharactersMax, isAllowed: Inputs.isLayout)
        try await standing(account).requireProfile(today: today)
        if let wait = saveCounts.count(account, at: now()) {
            throw RPCError(
                .rateLimited, "a buddy profile is saved at most \(Self.savesPerDayMax) times a day: try again tomorrow",
                retryAfter: wait)
        }
        try await store(account, params, description: description, choices)
        return try await me(identity)
    }

    private func store(
        _ account: Int64, _ profile: BuddyProfile, description: String, _ choices: Choices
    ) async throws {
        let picture = try profile.picture.map { try Inputs.clientID($0, "picture") }
        let columns = Choices.columns.joined(separator: ", ")
        let insertion = PostgresStatement(
            """
            INSERT INTO buddy_profiles (account_id, is_active, preferred_gender, is_gender_only, shows_age, description,
                picture_id, updated_at, \(columns))
            SELECT $1, $2, $3, $4, $5, $6, $7::uuid, $8, \((9..<17).map { "$\($0)" }.joined(separator: ", "))
            WHERE $7::uuid IS NULL
                OR EXISTS (SELECT FROM pictures WHERE id = $7::uuid AND owner_id = $1 AND purpose = 'profile')
            ON CONFLICT (account_id) DO UPDATE SET is_active = excluded.is_active,
                preferred_gender = excluded.preferred_gender, is_gender_only = excluded.is_gender_only,
                shows_age = excluded.shows_age, description = excluded.description, picture_id = excluded.picture_id,
                updated_at = excluded.updated_at,
                \(Choices.columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            RETURNING account_id
            """,
            [
                .int(account), .bool(profile.active), .text(profile.preferredGender.rawValue),
                .bool(profile.genderOnly), .bool(profile.showsAge), .text(description), .optional(picture),
                .timestamp(now().milliseconds),
            ] + choices.values)
        // Runs under the account's lock, because uploads remove pictures as well.
        try await database.transaction { transaction in
            let answers = try await transaction.batch([
                PostgresStatement(Accounts.lock, [.intArray([account])]), insertion,
                PostgresStatement(Pictures.removeReplacedSQL, [.int(account)]),
            ])
            guard !answers[1].isEmpty else {
                throw RPCError.invalid("picture", "is not a profile picture of yours: upload one first")
            }
        }
    }

    // MARK: Preconditions

    func standing(_ account: Int64) async throws -> Standing {
        let rows = try await database.query(Standing.sql, [.int(account)])
        guard let row = rows.first else { throw RPCError(.internalError, "the account cannot be read") }
        return try Standing(row)
    }

    /// Parameters `$1` to `$3` of ``Candidates/relation``.
    func candidateParameters(of account: Int64) -> [PostgresValue] {
        [.int(account), .int(Int64(BuddyCatalogue.rulesVersion)), .text(today.description)]
    }
}
