import Hub
import Postgres
import Wire

/// What accounts are told on `user/<id>`, and what other services tell of conversations.
extension Chat {
    /// Whom something about a conversation concerns: who is not to know of it does not hear when it changes either.
    enum Concerned {
        /// Those who have joined and those who are invited.
        case everybody
        /// Those who may read what is written.
        case joined
        /// Those who see who is invited.
        case inviting

        fileprivate var condition: String {
            switch self {
            case .everybody: "state <> 'left'"
            case .joined: "state = 'joined'"
            case .inviting: "state = 'joined' AND role IN ('owner', 'admin')"
            }
        }
    }

    /// Something about a conversation is new in its members' lists. What is not told now is found when they ask for the list.
    func tellMembers(
        of conversation: Int64, by author: Int64, also others: [Int64] = [], _ concerned: Concerned = .everybody
    ) async {
        let rows = try? await database.query(
            "SELECT account_id FROM members WHERE conversation_id = $1 AND \(concerned.condition)",
            [.int(conversation)])
        let members = (try? rows?.map { try $0.int("account_id") }) ?? []
        let signal = UserSignal(type: .conversation, conversation: conversation)
        await hub.tell((members + others).map { AccountSignal($0, signal) }, by: author)
    }

    /// A conversation is not in these accounts' lists any more.
    public func tellGone(_ conversation: Int64, _ accounts: [Int64]) async {
        // What is shared there is not for them any more.
        await hub.leftGroup(conversation, accounts)
        let signal = UserSignal(type: .gone, conversation: conversation)
        await hub.tell(accounts.map { AccountSignal($0, signal) }, by: 0)
    }

    // MARK: What others tell

    /// Accounts that are told of one report.
    private static let adminsMax = 100

    /// Something is new for all admins but one, whom it is about.
    public func tellAdmins(_ signal: UserSignal, except account: Int64) async {
        let rows = try? await database.query(
            "SELECT id FROM accounts WHERE role = 'admin' AND id <> $1 LIMIT \(Self.adminsMax)", [.int(account)])
        let admins = (try? rows?.map { try $0.int("id") }) ?? []
        await hub.tell(admins.map { AccountSignal($0, signal) }, by: 0)
    }

    /// Two have matched, or are buddies no more: their conversation was opened or closed, which is in its log.
    public func directChanged(_ conversation: Int64, accounts: [Int64], isOpen: Bool) async {
        _ = await hub.look(at: conversation)
        if isOpen {
            let signal = UserSignal(type: .conversation, conversation: conversation)
            await hub.tell(accounts.map { AccountSignal($0, signal) }, by: 0)
        } else {
            await tellGone(conversation, accounts)
        }
    }
}
