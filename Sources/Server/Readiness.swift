import Postgres
import Services
import WebSocket

/// What `/readyz` says: whether traffic may come, and what an operator should know although it may.
enum Readiness: Sendable {
    case ready(warning: String?)
    case notReady(String)

    /// Asks the database, which must answer and take writes, and the services.
    static func look(_ pool: PostgresPool, _ tracking: Tracking) async -> Readiness {
        do {
            let row = try await pool.query("SELECT current_setting('transaction_read_only') = 'on' AS is_read_only")
                .first
            guard let row, try !row.bool("is_read_only") else { return .notReady("the database takes no writes") }
        } catch {
            return .notReady("the database does not answer")
        }
        // Everybody may ask: how many devices there are is for the log.
        let isClockInDoubt = await tracking.clockWarning != nil
        return .ready(warning: isClockInDoubt ? "the server's clock is in doubt, see the log" : nil)
    }

    var response: HTTPResponse {
        switch self {
        case .ready(nil): .plain(200, "ready")
        case .ready(let warning?): .plain(200, "ready\nwarning: \(warning)")
        case .notReady(let reason): .plain(503, "not ready: \(reason)")
        }
    }
}
