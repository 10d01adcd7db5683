import Postgres
import Wire

/// The profile and the settings of an account, which its owner changes part by part (U-3, N-3, C-2, C-6, W-1). Usable from any context.
public struct Profiles: Sendable {
    /// Largest number of changes of a username within ``usernameChangeDays``.
    static let usernameChangesMax = 2
    static let usernameChangeDays = 30.0
    static let degreeCharactersMax = TextLimit.degree.max
    static let homeNameCharactersMax = TextLimit.privateZoneName.max

    static let missing = "Missing inputs"
    static let invalidUsername = RPCError(.rejected, "Invalid Username", field: "username")
    static let tooManyUsernames = RPCError(
        .conflict,
        "your username was changed \(usernameChangesMax) times within \(Int(usernameChangeDays)) days: keep it for now",
        field: "username")
    static let usernameIsSeen = RPCError(
        .conflict, "stop your session and your shares first: their viewers know your present username",
        field: "username")

    let database: PostgresPool
    let now: @Sendable () -> Timestamp

    /// - Parameter now: The server's wall clock.
    public init(database: PostgresPool, now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.database = database
        self.now = now
    }

    // MARK: Reading

    /// Returns the caller's profile.
    /// - Throws: ``Wire/RPCError`` `forbidden` for an account that is gone, ``Postgres/PostgresError``.
    public func profile(of identity: Identity) async throws -> AccountProfileGet.Result {
        AccountProfileGet.Result(
            profile: try profile(try await database.query(Self.sql, [.int(identity.account.id)])),
            interests: Self.interests)
    }

    /// Interests to choose from: the kinds of events, which are the training styles.
    static let interests = BuddyCatalogue.styles.options

    private static let sql = """
        SELECT a.username, a.created_at, a.picture_id, p.first_name, p.last_name, p.gender, p.degree,
            coalesce(p.interests, '{}') AS interests, p.home_lat,
            p.home_lon, p.home_name, person_full_name(p.first_name, p.last_name, a.username) AS name,
            (SELECT changed_at FROM username_changes c WHERE c.account_id = a.id ORDER BY c.changed_at DESC
                OFFSET \(usernameChangesMax - 1) LIMIT 1) AS limiting_change
        FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id WHERE a.id = $1
        """

    private func profile(_ rows: PostgresRows) throws -> AccountProfile {
        guard let row = rows.first else { throw Accounts.accountUnavailable }
        let from = try row.optionalTimestamp("limiting_change").map {
            Timestamp(milliseconds: $0).advanced(bySeconds: Self.usernameChangeDays * Timestamp.daySeconds)
        }
        var home: HomeLocation?
        if let name = try row.optionalText("home_name") {
            home = HomeLocation(lat: try row.double("home_lat"), lon: try row.double("home_lon"), name: name)
        }
        return AccountProfile(
            username: try row.text("username"), usernameFrom: from.flatMap { $0 > now() ? $0 : nil },
            firstName: try row.optionalText("first_name"), lastName: try row.optionalText("last_name"),
            displayName: try row.text("name"), picture: try row.optionalUUID("picture_id"),
            gender: try row.optionalText("gender").flatMap { Gender(rawValue: $0) },
            degree: try row.optionalText("degree"),
            interests: try row.textArray("interests"),
            home: home, createdAt: Timestamp(milliseconds: try row.timestamp("created_at")))
    }

    // MARK: Changing

    /// Changes the given parts of the caller's profile.
    /// - Throws: ``Wire/RPCError``: `rejected` with the messages of U-1 and U-3, `conflict` for a username that cannot change now,
    ///   `invalidParams`; ``Postgres/PostgresError``.
    public func update(_ params: AccountUpdateProfile.Params, of identity: Identity) async throws -> AccountProfile {
        let account = identity.account.id
        let columns = try Self.columns(params)
        let username = try params.username.map(Self.username)
        let picture = try Self.picture(params)
        do {
            return try await database.transaction { transaction in
                _ = try await transaction.query(Accounts.lock, [.intArray([account])])
                try await identity.requireValidToken(in: transaction)
                if let username { try await rename(identity, to: username, in: transaction) }
                if let picture { try await Self.show(picture, of: account, in: transaction) }
                try await Self.requireNames(params, of: account, in: transaction)
                if !columns.isEmpty {
                    try await countNames(columns, of: account, in: transaction)
                    try await store(columns, of: account, in: transaction)
                }
                return try profile(try await transaction.query(Self.sql, [.int(account)]))
            }
        } catch let error as PostgresError where error.isUniqueViolation {
            throw Registration.usernameTaken
        }
    }

    /// A column of `profiles` and its new value.
    private typealias Column = (name: String, value: PostgresValue)

    private static func columns(_ params: AccountUpdateProfile.Params) throws -> [Column] {
        var columns: [Column] = []
        func add(_ column: String, _ text: String?, _ field: String, _ charactersMax: Int) throws {
            guard let text else { return }
            let isEmpty = Inputs.trimmed(text).isEmpty
            columns.append(
                (column, isEmpty ? .null : .text(try Inputs.name(text, field, charactersMax: charactersMax))))
        }
        try add("first_name", params.firstName, "firstName", TextLimit.personName.max)
        try add("last_name", params.lastName, "lastName", TextLimit.personName.max)
        try add("degree", params.degree, "degree", degreeCharactersMax)
        if let chosen = params.interests {
            let known = interests.map(\.id)
            guard Set(chosen).isSubset(of: known) else {
                throw RPCError.invalid("interests", "are ids of account.profile's interests")
            }
            // In display order, each once.
            columns.append(("interests", .textArray(known.filter(chosen.contains))))
        }
        if params.removeHome == true {
            guard params.home == nil else { throw RPCError.invalid("removeHome", "is given in place of home") }
            columns += ["home_lat", "home_lon", "home_name"].map { ($0, .null) }
        } else if let home = params.home {
            let name = try Inputs.name(home.name, "home.name", charactersMax: homeNameCharactersMax)
            columns += [("home_lat", .double(home.lat)), ("home_lon", .double(home.lon)), ("home_name", .text(name))]
        }
        return columns
    }

    /// Counts a change of the first or the last name against its daily limit.
    private func countNames(
        _ columns: [Column], of account: Int64, in transaction: PostgresTransaction
    ) async throws {
        let names = columns.filter { ["first_name", "last_name"].contains($0.name) }
        guard let field = names.first?.name else { return }
        let same = names.indices.map { "\(names[$0].name) IS NOT DISTINCT FROM $\($0 + 2)" }
        let unchanged = try await transaction.query(
            "SELECT FROM profiles WHERE account_id = $1 AND \(same.joined(separator: " AND "))",
            [.int(account)] + names.map(\.value))
        guard unchanged.isEmpty else { return }
        try await DailyChange.names.count(
            of: account, at: now(), field: field == "first_name" ? "firstName" : "lastName", in: transaction)
    }

    private func store(
        _ columns: [Column], of account: Int64, in transaction: PostgresTransaction
    ) async throws {
        let names = columns.map(\.name)
        _ = try await transaction.query(
            """
            INSERT INTO profiles (account_id, updated_at, \(names.joined(separator: ", ")))
            VALUES ($1, $2, \(names.indices.map { "$\($0 + 3)" }.joined(separator: ", ")))
            ON CONFLICT (account_id) DO UPDATE SET updated_at = excluded.updated_at,
                \(names.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """, [.int(account), .timestamp(now().milliseconds)] + columns.map(\.value))
    }

    /// Buddies know each other by name, so that a profile for buddies keeps both names.
    private static func requireNames(
        _ params: AccountUpdateProfile.Params, of account: Int64, in transaction: PostgresTransaction
    ) async throws {
        let removed = [("firstName", params.firstName), ("lastName", params.lastName)].first { _, name in
            name.map { Inputs.trimmed($0).isEmpty } ?? false
        }
        guard let field = removed?.0 else { return }
        let rows = try await transaction.query(
            "SELECT FROM profiles WHERE account_id = $1 AND birthday IS NOT NULL", [.int(account)])
        if rows.first != nil { throw RPCError(.rejected, missing, field: field) }
    }

    // MARK: Username

    private static func username(_ text: String) throws -> String {
        let username = Inputs.trimmed(text)
        guard !username.isEmpty else { throw RPCError(.rejected, missing, field: "username") }
        guard Registration.isUsername(username) else { throw invalidUsername }
        return username
    }

    private func rename(_ identity: Identity, to username: String, in transaction: PostgresTransaction) async throws {
        let account = identity.account.id
        let rows = try await transaction.query(
            """
            SELECT a.username, a.username_key, a.role, (SELECT count(*) FROM username_changes c
                    WHERE c.account_id = a.id AND c.changed_at > $2) AS changes,
                EXISTS (SELECT FROM sessions s WHERE s.account_id = a.id AND s.state <> 'finished')
                    OR EXISTS (SELECT FROM shares s WHERE s.account_id = a.id AND s.ended_at IS NULL) AS is_seen
            FROM accounts a WHERE a.id = $1
            """,
            [
                .int(account),
                .timestamp(
                    now().advanced(bySeconds: -Self.usernameChangeDays * Timestamp.daySeconds).milliseconds),
            ])
        guard let row = rows.first else { throw Accounts.accountUnavailable }
        let (old, key) = (try row.text("username"), Inputs.key(username))
        guard old != username else { return }
        if try row.text("username_key") != key {
            try Registration.requireUnreserved(username)
            guard try row.int("changes") < Self.usernameChangesMax else { throw Self.tooManyUsernames }
        }
        guard try !row.bool("is_seen") else { throw Self.usernameIsSeen }
        try await DailyChange.username.count(of: account, at: now(), in: transaction)
        _ = try await transaction.query(
            "UPDATE accounts SET username = $2, username_key = $3 WHERE id = $1",
            [.int(account), .text(username), .text(key)])
        // The log names admins by their usernames, and people know whoever has a role by theirs.
        guard try row.text("role") != Role.student.rawValue else { return }
        try await AuditLog.record(
            .init(
                "user.rename", subject: .init(kind: "user", id: account, name: username),
                details: [("username", "\(old) → \(username)")]), by: identity, in: transaction)
    }

    // MARK: Picture

    /// A change of the picture: its id, or nil for none.
    private struct NewPicture { let id: String? }

    private static func picture(_ params: AccountUpdateProfile.Params) throws -> NewPicture? {
        guard params.removePicture == true else {
            return try params.picture.map { NewPicture(id: try Inputs.clientID($0, "picture")) }
        }
        guard params.picture == nil else { throw RPCError.invalid("removePicture", "is given in place of picture") }
        return NewPicture(id: nil)
    }

    private static func show(
        _ picture: NewPicture, of account: Int64, in transaction: PostgresTransaction
    ) async throws {
        let changed = try await transaction.query(
            """
            UPDATE accounts SET picture_id = $2::uuid WHERE id = $1 AND ($2::uuid IS NULL
                OR EXISTS (SELECT FROM pictures WHERE id = $2::uuid AND owner_id = $1 AND purpose = 'profile'))
            """, [.int(account), .optional(picture.id)])
        guard changed.affected > 0 else {
            throw RPCError.invalid("picture", "is not a profile picture of yours: upload one first")
        }
        _ = try await transaction.query(Pictures.removeReplacedSQL, [.int(account)])
    }
}
