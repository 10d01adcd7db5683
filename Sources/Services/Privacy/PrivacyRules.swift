import Campus
import EventLoop
import Hub
import Postgres
import Synchronization
import Wire

/// Everybody's dark places, in memory and always fresh: read when an account is first needed, and again when it changed here, at another
/// node, or in the database. From any thread. Fails closed: an account whose rules are not known is dark.
public final class PrivacyRules: LocationRules {
    /// Accounts whose rules are kept; beyond it any one makes room, and is dark until its rules are read again.
    static let accountsMax = 200_000
    /// Versions read again at each look, and for how long: a transaction may commit behind one that drew a higher number.
    static let versionsOverlap: Int64 = 10_000
    static let overlapSeconds = 60.0

    private struct Known {
        let version: Int64
        let key: [UInt8]
        let zones: [SecretZone]
        let showsResidences: Bool
        let countsInHeatmap: Bool
        let keepsVisits: Bool
    }

    private struct State {
        var known: [Int64: Known] = [:]
        /// Being read because somebody asked.
        var wanted: Set<Int64> = []
        var loaded: @Sendable (Int64) async -> Void = { _ in }
        /// The newest that was looked at.
        var version: Int64?
    }

    private let state = Mutex(State())
    private let database: PostgresPool
    private let campus: CampusMap
    private let loop: EventLoop

    /// - Parameters:
    ///   - loop: Where rules are read that were asked for in passing.
    ///   - campus: Knows residences, zones and buildings.
    public init(loop: EventLoop, database: PostgresPool, campus: CampusMap) {
        self.loop = loop
        self.database = database
        self.campus = campus
    }

    // MARK: Asking

    /// Why a position of an account is told to nobody; nil when it may be.
    public func hidden(_ account: Int64, at position: LatLon, within metres: Double) -> MyLocation.Hidden? {
        guard let places = places(of: account) else { return .zone }
        return places.hidden(at: position, within: metres)
    }

    /// A position as a share with this precision says it.
    public func shown(_ fix: LocatedFix, as precision: Precision) -> SharedLocation {
        campus.picture.ladder.shown(fix, as: precision)
    }

    /// Where an account is shown to nobody, as of now; nil while that is not known, which means everywhere.
    public func places(of account: Int64) -> DarkPlaces? {
        guard let known = known(account) else { return nil }
        return DarkPlaces(
            zones: known.zones, residences: known.showsResidences ? nil : campus.picture.residences)
    }

    /// Whether an account has the heatmap count it; false while that is not known.
    public func isCounted(_ account: Int64) -> Bool { known(account)?.countsInHeatmap ?? false }

    /// Whether an account has kept where it is for a while; false while that is not known.
    public func keepsVisits(_ account: Int64) -> Bool { known(account)?.keepsVisits ?? false }

    /// Whether an account's rules are in memory. Reads nothing.
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

    /// - Parameter body: Draws anew what is shown of an account that was dark because its rules were not known, and are now.
    public func setLoaded(_ body: @escaping @Sendable (Int64) async -> Void) {
        state.withLock { $0.loaded = body }
    }

    // MARK: Reading

    /// Has an account's rules in memory, reading them if need be.
    /// - Throws: ``Wire/RPCError`` for an account that is gone, ``Postgres/PostgresError``; it is dark then.
    public func load(_ account: Int64) async throws {
        guard state.withLock({ $0.known[account] == nil }) else { return }
        try await read(account)
    }

    /// Reads an account's rules, whatever is known of them. When they cannot be read, the account is dark.
    /// - Throws: As ``load(_:)``.
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

    /// An account is dark until its rules are read again.
    public func forget(_ account: Int64) { state.withLock { $0.known[account] = nil } }

    /// All accounts are dark until their rules are read again: what was told of them may have been lost.
    public func forgetAll() { state.withLock { $0.known = [:] } }

    private func rules(of account: Int64) async throws -> Known {
        var rows = try await database.query("SELECT * FROM privacy_rules($1)", [.int(account)])
        if rows.first == nil {
            _ = try await database.query(
                "SELECT privacy_key($1, $2)", [.int(account), .bytes(Secrets.randomBytes(Secrets.tokenBytes))])
            rows = try await database.query("SELECT * FROM privacy_rules($1)", [.int(account)])
        }
        guard let first = rows.first else {
            throw RPCError(.notFound, "there is no such account any more: sign in again")
        }
        let key = try first.bytes("key")
        let zones = try rows.compactMap { row -> SecretZone? in
            guard try row.optionalInt("zone") != nil else { return nil }
            let mac = { Secrets.mac($0, key: key) }
            guard let size = PrivateZoneSize(rawValue: try row.text("size")) else {
                throw RPCError(.internalError, "a private zone cannot be read")
            }
            let anchor = ZoneAnchor(
                row: try row.int("anchor_row"), column: try row.int("anchor_column"), mac: mac)
            return SecretZone(anchor, size: size, mac: mac)
        }
        return Known(
            version: try first.int("version"), key: key, zones: zones, showsResidences: try first.bool("residences"),
            countsInHeatmap: try first.bool("heatmap"), keepsVisits: try first.bool("visits"))
    }

    // MARK: What others change

    /// Reads the rules anew of accounts that are kept and have changed in the database, whatever process changed them.
    /// - Returns: Those that have changed since they were read.
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
                // Those that cannot be read now make it dark, and that is a change, too.
                try? await read(account)
                changed.append(account)
            }
            state.withLock { $0.version = max($0.version ?? 0, version) }
        }
        return changed
    }
}
