import Foundation
import Postgres
import Wire

/// A reminder in the outbox that this server has claimed.
struct OutboxRow: Sendable {
    /// Kind of reminder. Accounts request codes and tests; they choose all others in the settings.
    enum Kind: Sendable, Equatable {
        case chosen(ReminderKind)
        /// Code that confirms an address.
        case code
        case trial

        init?(_ name: String) {
            switch name {
            case "code": self = .code
            case "trial": self = .trial
            default:
                guard let kind = ReminderKind(rawValue: name) else { return nil }
                self = .chosen(kind)
            }
        }
    }

    let id: Int64
    let account: Int64
    let kind: Kind
    let channel: ReminderChannel
    let addressID: Int64?
    let dedupe: String
    let payload: ReminderPayload
    let isUrgent: Bool
    let dueAt: Timestamp
    let expiresAt: Timestamp
    /// Number of attempts including this one; together with the server it identifies the claim.
    let attempts: Int64

    init(_ row: PostgresRow) throws {
        guard let kind = Kind(try row.text("kind")), let channel = ReminderChannel(rawValue: try row.text("channel"))
        else { throw RPCError(.internalError, "a reminder is of an unknown kind") }
        (self.kind, self.channel) = (kind, channel)
        id = try row.int("id")
        account = try row.int("account_id")
        addressID = try row.optionalInt("address_id")
        dedupe = try row.text("dedupe")
        payload = try WireJSON.decode(ReminderPayload.self, from: Array(try row.text("payload").utf8))
        isUrgent = try row.bool("is_urgent")
        dueAt = Timestamp(milliseconds: try row.timestamp("due_at"))
        expiresAt = Timestamp(milliseconds: try row.timestamp("expires_at"))
        attempts = try row.int("attempts")
    }
}

/// Subject of a reminder. The text is composed when it is sent, except for given texts.
struct ReminderPayload: Codable, Sendable, Equatable {
    var event: Int64?
    /// Planned start of the event, in milliseconds since 1970.
    var startsAt: Int64?
    /// Kind of change; nil for a reminder of the event's start.
    var news: EventNews?
    var conversation: Int64?
    var notice: Int64?
    /// UUID of a planned workout of the recipient; `startsAt` is its start.
    var workout: String?
    /// UUID of a live group to which the recipient is invited.
    var group: String?
    /// Offset up to which the conversation was read at planning time.
    var read: Int64?
    var title: String?
    var body: String?
    var path: String?
}

/// Address and settings of a reminder's recipient at sending time.
struct ReminderTarget: Sendable {
    let address: String
    let state: String
    let publicKey: [UInt8]?
    let secret: [UInt8]?
    let isWanted: Bool
    let hidesText: Bool
    /// Number of reminders sent to this address within a day, by any account.
    let sentToday: Int64

    static let sql = """
        SELECT a.address, a.state, a.public_key, a.secret, coalesce(s.hides_text, false) AS hides_text,
            $3 || '/' || a.channel = ANY (coalesce(s.choices, reminder_choices_default())) AS is_wanted,
            (SELECT count(*) FROM reminder_addresses o JOIN reminders r ON r.address_id = o.id
                WHERE o.channel = a.channel AND o.address_key = a.address_key AND r.sent_at > $4) AS sent_today
        FROM reminder_addresses a LEFT JOIN reminder_settings s ON s.account_id = a.account_id
        WHERE a.id = $1 AND a.account_id = $2 AND NOT EXISTS (SELECT FROM accounts c WHERE c.id = $2 AND c.disabled_at IS NOT NULL)
        """

    init(_ row: PostgresRow) throws {
        address = try row.text("address")
        state = try row.text("state")
        publicKey = try row.optionalBytes("public_key")
        secret = try row.optionalBytes("secret")
        isWanted = try row.bool("is_wanted")
        hidesText = try row.bool("hides_text")
        sentToday = try row.int("sent_today")
    }
}
