/// A rate limit of the server. Its raw value is the name that the operator uses in `--rate-limit`.
public enum RateLimitName: String, Sendable, CaseIterable {
    case account, guest, register, login, device, token, upload, message, invite, search, list
    case guestList = "guest-list"
    case find
    case guestFind = "guest-find"
    case preview, export, location, openid
    case newUser = "new-user"

    /// Whose uses are counted together.
    public enum Subject: String, Sendable { case account, address, device }

    /// The limit that holds unless the operator sets another: a burst, then a sustained rate.
    public struct Standard: Sendable {
        public let subject: Subject
        /// Number of uses that are possible at once after a pause.
        public let burst: Int
        /// Number of uses that are possible in ``seconds`` for any length of time.
        public let uses: Int
        public let seconds: Int
        /// Uses that the limit counts, in words.
        public let use: String

        /// Sustained uses per second.
        public var perSecond: Double { Double(uses) / Double(seconds) }
    }

    /// The limit that counts guests, who have no account, instead of this one.
    public var forGuests: RateLimitName? {
        switch self {
        case .list: .guestList
        case .find: .guestFind
        default: nil
        }
    }

    /// The limits are generous, to stop floods and not people.
    public var standard: Standard {
        func limit(_ subject: Subject, _ burst: Int, _ uses: Int, per seconds: Int = 1, _ use: String) -> Standard {
            Standard(subject: subject, burst: burst, uses: uses, seconds: seconds, use: use)
        }
        return switch self {
        case .account: limit(.account, 500, 50, "requests of a signed-in account, over all its connections")
        // High, because a campus shares few addresses and all clients reconnect after a restart.
        case .guest: limit(.address, 20_000, 1_000, "requests of guests")
        case .register: limit(.address, 100, 10, per: 60, "registrations, except with the operator's key")
        case .login: limit(.address, 300, 1, "sign-ins, in addition to the delays after wrong passwords")
        // Each request computes a slow hash.
        case .device: limit(.device, 20, 1, per: 10, "sign-ins on a device that has signed in before")
        case .token:
            limit(.address, 300, 1, "tokens that are not valid, in `hello`, over HTTP and in calendar addresses")
        case .upload: limit(.account, 20, 20, per: 600, "uploaded pictures")
        case .message: limit(.account, 60, 5, "messages, edits, reactions and notices")
        case .invite:
            limit(.account, 200, 30, per: 60, "invited people, new groups, started shares, location questions")
        // Each reads thousands of messages.
        case .search: limit(.account, 20, 2, "searches")
        // Each may read thousands of rows.
        case .list: limit(.account, 100, 5, "lists and other requests that read many rows")
        case .guestList: limit(.address, 1_000, 50, "such requests of guests")
        // One with each key that is pressed.
        case .find: limit(.account, 200, 20, "searches for buildings, rooms and places")
        case .guestFind: limit(.address, 4_000, 200, "such searches of guests")
        // Each may count all accounts.
        case .preview: limit(.account, 20, 1, "previews of a notice's audience")
        // Each reads all tables of the account.
        case .export: limit(.account, 10, 4, per: 60, "files of personal data")
        case .location: limit(.account, 10, 2, "reported locations, over all devices")
        // Not those of `login`: any website can make a browser send them.
        case .openid: limit(.address, 600, 2, "starts and answers of sign-ins by providers, below `/openid/`")
        // Each sends a mail.
        case .newUser: limit(.account, 100, 10, per: 60, "accounts that an admin creates, and links for them")
        }
    }
}
