import Campus
import EventLoop
import Hub
import Postgres
import Synchronization
import Wire

/// In-memory cache of all accounts' suppression zones, kept current: rules are read when an account is first needed, and again after a
/// change on this node, on another node or in the database. Usable from any thread. Fails closed: an account with unknown rules is hidden
/// everywhere.
public final class PrivacyRules: LocationRules {
    /// Largest number of cached accounts; a further account evicts an arbitrary one, which is hidden until its rules are read again.
    static let accountsMax = 200_000
    /// Versions that each poll reads again, limited to ``overlapSeconds``: a transaction can commit after another that drew a higher
    /// version.
    static let versionsOverlap: Int64 = 10_000
    static let overlapSeconds = 60.0

    private struct Known {
        let version: Int64
        let key: [UInt8]
        let zones: [SuppressionZone]
        let showsResidences: Bool
        let countsInHeatmap: Bool
        let keepsVisits: Bool
        let isLocationOn: Bool
    }

    private struct State {
        var known: [Int64: Known] = [:]
        /// Accounts whose rules are being read because a query missed the cache.
        var wanted: Set<Int64> = []
        var loaded: @Sendable (Int64) async -> Void = { _ in }
        /// Newest version that was polled.
        var version: Int64?
    }

    private let state = Mutex(State())
    private let database: PostgresPool
    private let campus: CampusMap
    private let loop: EventLoop

    /// - Parameters:
    ///   - loop: Loop on which rules are read after a cache miss.
    ///   - campus: Provides residences, zones and buildings.
    public init(loop: EventLoop, database: PostgresPool, campus: CampusMap) {
        self.loop = loop
        self.database = database
        self.campus = campus
    }

    // MARK: Queries

    /// Reason to hide a position of an account from everyone; nil if it may be published.
    public func hidden(_ account: Int64, at position: LatLon, within metres: Double) -> MyLocation.Hidden? {
        guard let places = places(of: account) else { return .zone }
        return places.hidden(at: position, within: metres)
    }

    /// Representation of a position at a share's precision.
    public func shown(_ fix: LocatedFix, as precision: Precision) -> SharedLocation {
        campus.snapshot.ladder.shown(fix, as: precision)
    }

    /// Suppression areas of an account; nil while its rules are unknown, which means everywhere.
    public func places(of account: Int64) -> SuppressionAreas? {
        guard let known = known(account) else { return nil }
        return SuppressionAreas(
            zones: known.zones, residences: known.showsResidences ? nil : campus.snapshot.residences)
    }

    /// Whether an account contributes to the heatmap; false while its rules are unknown.
    public func isCounted(_ account: Int64) -> Bool { known(account)?.countsInHeatmap ?? false }

    /// Whether an account has its visits recorded; false while its rules are unknown.
    public func keepsVisits(_ account: Int64) -> Bool { known(account)?.keepsVisits ?? false }

    /// Whether an account has not switched its location off (C-6); true while its rules are unknown, when it is hidden anyway.
    public func isLocationOn(_ account: Int64) -> Bool { known(account)?.isLocationOn ?? true }

    /// Whether an account's rules are cached. Does not read the database.
    func isKnown(_ account: Int64) -> Bool { state.withLock { $0.known[account] != nil } }

    private func known(_ account: Int64) -> Known? {
        let (known, mustRead) = state.withLock { state in
            let known = state.known[account]
            return (known, known == nil && state.wanted.insert(account).inserted)
        }
        if mustRead {
            Task(executorPreference: loop) { [self] in
                let isLoaded = (try? await load(account)) != nil
                let loaded = state.withLock { state in
                    state.wanted.remove(account)
                    return state.loaded
                }
                if isLoaded { await loaded(account) }
            }
        }
        return known
    }

    /// Sets the handler for accounts that were hidden because of a cache miss.
    /// - Parameter body: Called once the rules are read; recomputes the published state of the account.
    public func setLoaded(_ body: @escaping @Sendable (Int64) async -> Void) {
        state.withLock { $0.loaded = body }
    }

    // MARK: Reading

    /// Ensures that an account's rules are cached.
    /// - Throws: ``Wire/RPCError`` for a removed account, ``Postgres/PostgresError``; the account is hidden then.
    public func load(_ account: Int64) async throws {
        guard state.withLock({ $0.known[account] == nil }) else { return }
        try await read(account)
    }

    /// Reads an account's rules again. If that fails, the account is hidden.
    /// - Throws: The same errors as ``load(_:)``.
    public func read(_ account: Int64) async throws {
        do {
            let fresh = try await rules(of: account)
            state.withLock { state in
                guard (state.known[account]?.version ?? 0) <= fresh.version else { return }
                if state.known.count >= Self.accountsMax, state.known[account] == nil, let any = state.known.keys.first
                {
                    state.known[any] = nil
                }
                state.known[account] = fresh
            }
        } catch {
            forget(account)
            throw error
        }
    }

    /// Hides an account until its rules are read again.
    public func forget(_ account: Int64) { state.withLock { $0.known[account] = nil } }

    /// Hides all accounts until their rules are read again, because notifications of changes may have been lost.
    public func forgetAll() { state.withLock { $0.known = [:] } }

    private static let sql = "SELECT r.*, account_location_is_on($1) AS location FROM privacy_rules($1) r"

    private func rules(of account: Int64) async throws -> Known {
        var rows = try await database.query(Self.sql, [.int(account)])
        if rows.first == nil {
            _ = try await database.query(
                "SELECT privacy_key($1, $2)", [.int(account), .bytes(Secrets.randomBytes(Secrets.tokenBytes))])
            rows = try await database.query(Self.sql, [.int(account)])
        }
        guard let first = rows.first else {
            throw RPCError(.notFound, "there is no such account any more: sign in again")
        }
        let key = try first.bytes("key")
        let zones = try rows.compactMap { row -> SuppressionZone? in
            guard try row.optionalInt("zone") != nil else { return nil }
            let mac = { Secrets.mac($0, key: key) }
            guard let size = PrivateZoneSize(rawValue: try row.text("size")) else {
                throw RPCError(.internalError, "a private zone cannot be read")
            }
            let anchor = ZoneAnchor(
                row: try row.int("anchor_row"), column: try row.int("anchor_column"), mac: mac)
            return SuppressionZone(anchor, size: size, mac: mac)
        }
        return Known(
            version: try first.int("version"), key: key, zones: zones, showsResidences: try first.bool("residences"),
            countsInHeatmap: try first.bool("heatmap"), keepsVisits: try first.bool("visits"),
            isLocationOn: try first.bool("location"))
    }

    // MARK: External changes

    /// Reads the rules of cached accounts again that any process changed in the database.
    /// - Returns: The accounts whose cached rules were outdated.
    /// - Throws: `PostgresError`.
    @discardableResult
    public func readChanged() async throws -> [Int64] {
        let before = state.withLock { $0.version }
        guard let before else {
            let rows = try await database.query("SELECT coalesce(max(version), 0) AS version FROM privacy_keys")
            let newest = try rows.first?.int("version") ?? 0
            state.withLock { $0.version = $0.version ?? newest }
            return []
        }
        let rows = try await database.query(
            """
            SELECT account_id, version FROM privacy_keys
            WHERE version > $1 AND (version > $2 OR changed_at > now() - make_interval(secs => $3)) ORDER BY version
            """, [.int(max(0, before - Self.versionsOverlap)), .int(before), .double(Self.overlapSeconds)])
        var changed: [Int64] = []
        for row in rows {
            let (account, version) = (try row.int("account_id"), try row.int("version"))
            let isOld = state.withLock { ($0.known[account]?.version).map { $0 < version } ?? false }
            if isOld {
                // A failed read hides the account, which is a change as well.
                try? await read(account)
                changed.append(account)
            }
            state.withLock { $0.version = max($0.version ?? 0, version) }
        }
        return changed
    }
}
