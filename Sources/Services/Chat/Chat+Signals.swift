import Hub
import Postgres
import Wire

/// Notifications of accounts on `user/<id>`, and notifications that other services send through the chat service.
extension Chat {
    /// Recipients of a notification about a conversation. An account that must not know of a change is not notified of it either.
    enum SignalRecipients {
        /// Joined and invited members.
        case everybody
        /// Joined members, who may read messages.
        case joined
        /// Members who see invitations.
        case inviting

        fileprivate var condition: String {
            switch self {
            case .everybody: "state <> 'left'"
            case .joined: "state = 'joined'"
            case .inviting: "state = 'joined' AND role IN ('owner', 'admin')"
            }
        }
    }

    /// Notifies members that a conversation changed in their lists. A member who misses the signal gets the change with the next list.
    func notifyMembers(
        of conversation: Int64, by author: Int64, also others: [Int64] = [], _ recipients: SignalRecipients = .everybody
    ) async {
        let rows = try? await database.query(
            "SELECT account_id FROM members WHERE conversation_id = $1 AND \(recipients.condition)",
            [.int(conversation)])
        let members = (try? rows?.map { try $0.int("account_id") }) ?? []
        let signal = UserSignal(type: .conversation, conversation: conversation)
        await hub.signals.publish((members + others).map { AccountSignal($0, signal) }, by: author)
    }

    /// Notifies accounts that a conversation is no longer in their lists.
    public func notifyRemoved(_ conversation: Int64, _ accounts: [Int64]) async {
        // Ends the accounts' access to shares with this conversation.
        await hub.shares.leftGroup(conversation, accounts)
        let signal = UserSignal(type: .gone, conversation: conversation)
        await hub.signals.publish(accounts.map { AccountSignal($0, signal) }, by: 0)
    }

    // MARK: Other services

    /// Largest number of admins notified of one report.
    private static let adminsMax = 100

    /// Notifies all admins except the reported one.
    public func notifyAdmins(_ signal: UserSignal, except account: Int64) async {
        let rows = try? await database.query(
            "SELECT id FROM accounts WHERE role = 'admin' AND id <> $1 LIMIT \(Self.adminsMax)", [.int(account)])
        let admins = (try? rows?.map { try $0.int("id") }) ?? []
        await hub.signals.publish(admins.map { AccountSignal($0, signal) }, by: 0)
    }

    /// Publishes that a direct conversation was opened by a match or closed by its end. Its log contains the event already.
    public func directChanged(_ conversation: Int64, accounts: [Int64], isOpen: Bool) async {
        _ = await hub.logs.publishAppended(to: .chat(conversation))
        if isOpen {
            let signal = UserSignal(type: .conversation, conversation: conversation)
            await hub.signals.publish(accounts.map { AccountSignal($0, signal) }, by: 0)
        } else {
            await notifyRemoved(conversation, accounts)
        }
    }
}
