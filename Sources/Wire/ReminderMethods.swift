// Reminders: every answer that changes them is how they are then.

/// `reminders.settings`: how one is reminded, and where.
public enum RemindersSettings: RPCMethod {
    public static let name = "reminders.settings"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = ReminderSettings
}

/// `reminders.saveSettings`: what is left out stays.
public enum RemindersSaveSettings: RPCMethod {
    public static let name = "reminders.saveSettings"
    public static let access = MethodAccess.accounts
    /// What is to be different.
    public struct Params: Codable, Sendable {
        /// Kinds that are left out stay.
        public var kinds: [ReminderSettings.Choice]?
        /// At most 5, each 5 to 10,080 minutes.
        @Count public var leads: [Int]?
        /// 1 to 1,440.
        @Count public var unreadMinutes: Int?
        /// Browsers show who wrote, and not what.
        public var hidesText: Bool?
        public init(
            kinds: [ReminderSettings.Choice]? = nil, leads: [Int]? = nil, unreadMinutes: Int? = nil,
            hidesText: Bool? = nil
        ) {
            self.kinds = kinds
            self.leads = leads
            self.unreadMinutes = unreadMinutes
            self.hidesText = hidesText
        }
    }
    public typealias Result = ReminderSettings
}

/// `reminders.setAddress`: a code is sent there, to be said back with `reminders.confirm`.
public enum RemindersSetAddress: RPCMethod {
    public static let name = "reminders.setAddress"
    public static let access = MethodAccess.accounts
    /// Where to.
    public struct Params: Codable, Sendable {
        /// ``ReminderChannel/email`` or ``ReminderChannel/text``.
        public var channel: ReminderChannel
        /// An address, or a number with its country such as `+6591234567`; for mail, none is the account's.
        public var address: String?
        public init(channel: ReminderChannel, address: String? = nil) {
            self.channel = channel
            self.address = address
        }
    }
    public typealias Result = ReminderSettings
}

/// `reminders.confirm`: says the code back.
public enum RemindersConfirm: RPCMethod {
    public static let name = "reminders.confirm"
    public static let access = MethodAccess.accounts
    /// What came.
    public struct Params: Codable, Sendable {
        /// ``ReminderChannel/email`` or ``ReminderChannel/text``.
        public var channel: ReminderChannel
        /// Six digits.
        public var code: String
        public init(channel: ReminderChannel, code: String) {
            self.channel = channel
            self.code = code
        }
    }
    public typealias Result = ReminderSettings
}

/// `reminders.removeAddress`: nothing goes there any more. Harmless when repeated.
public enum RemindersRemoveAddress: RPCMethod {
    public static let name = "reminders.removeAddress"
    public static let access = MethodAccess.accounts
    /// Which.
    public struct Params: Codable, Sendable {
        /// ``ReminderChannel/push`` ends all browsers' subscriptions.
        public var channel: ReminderChannel
        public init(channel: ReminderChannel) { self.channel = channel }
    }
    public typealias Result = ReminderSettings
}

/// `reminders.pushKey`: what browsers subscribe with (RFC 8292).
public enum RemindersPushKey: RPCMethod {
    public static let name = "reminders.pushKey"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// The key.
    public struct Result: Codable, Sendable {
        /// The server's public key, a point of P-256 in base64url: `applicationServerKey`.
        public var key: String
        public init(key: String) { self.key = key }
    }
}

/// `reminders.subscribePush`: this browser is reminded. Harmless when repeated; a browser is reminded of one account's.
public enum RemindersSubscribePush: RPCMethod {
    public static let name = "reminders.subscribePush"
    public static let access = MethodAccess.accounts
    /// What `PushSubscription.toJSON()` gives.
    public struct Params: Codable, Sendable {
        /// The browser's keys, base64url.
        public struct Keys: Codable, Sendable {
            /// Its public key, a point of P-256: 65 bytes.
            public var p256dh: String
            /// Its secret: 16 bytes.
            public var auth: String
            public init(p256dh: String, auth: String) {
                self.p256dh = p256dh
                self.auth = auth
            }
        }
        /// Its address at its push service: https, at most 1,024 bytes.
        public var endpoint: String
        /// What messages are encrypted for.
        public var keys: Keys
        /// What the browser calls itself, at most 100 characters.
        public var client: String?
        public init(endpoint: String, keys: Keys, client: String? = nil) {
            self.endpoint = endpoint
            self.keys = keys
            self.client = client
        }
    }
    public typealias Result = ReminderSettings
}

/// `reminders.unsubscribePush`: that browser is not reminded any more. Harmless when repeated.
public enum RemindersUnsubscribePush: RPCMethod {
    public static let name = "reminders.unsubscribePush"
    public static let access = MethodAccess.accounts
    /// Which.
    public struct Params: Codable, Sendable {
        /// Its address at its push service.
        public var endpoint: String
        public init(endpoint: String) { self.endpoint = endpoint }
    }
    public typealias Result = ReminderSettings
}

/// `reminders.test`: sends a trial to where a channel leads.
public enum RemindersTest: RPCMethod {
    public static let name = "reminders.test"
    public static let access = MethodAccess.accounts
    /// Which.
    public struct Params: Codable, Sendable {
        /// One that is ``ReminderChannelState/on``.
        public var channel: ReminderChannel
        public init(channel: ReminderChannel) { self.channel = channel }
    }
    /// It is on its way.
    public struct Result: Codable, Sendable {
        /// To how many addresses or browsers.
        public var sending: Int
        public init(sending: Int) { self.sending = sending }
    }
}
