// Methods for reminders. Each method that changes settings returns the settings after the change.

public enum RemindersSettings: RPCMethod {
    public static let name = "reminders.settings"
    public static let summary = "Returns the caller's reminder settings and addresses."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = ReminderSettings
}

public enum RemindersSaveSettings: RPCMethod {
    public static let name = "reminders.saveSettings"
    public static let summary = "Changes the given settings; omitted ones keep their value."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        /// Omitted kinds keep their value.
        public var kinds: [ReminderSettings.Choice]?
        /// At most 5 values, each 5 to 10,080 minutes.
        @Count public var leads: [Int]?
        /// 1 to 1,440 minutes.
        @Count public var unreadMinutes: Int?
        /// True makes browser notifications name the sender without the text.
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

public enum RemindersSetAddress: RPCMethod {
    public static let name = "reminders.setAddress"
    public static let summary = """
        Sets an address and sends a code to it, which the caller returns in `reminders.confirm`.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.conflict]
    public struct Params: Codable, Sendable {
        /// ``ReminderChannel/email`` or ``ReminderChannel/text``.
        public var channel: ReminderChannel
        /// Mail address, or a phone number with country code such as `+6591234567`. For mail, nil means the address of the account.
        public var address: String?
        public init(channel: ReminderChannel, address: String? = nil) {
            self.channel = channel
            self.address = address
        }
    }
    public typealias Result = ReminderSettings
}

public enum RemindersConfirm: RPCMethod {
    public static let name = "reminders.confirm"
    public static let summary = "Confirms an address with the code sent to it."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.rejected]
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

public enum RemindersRemoveAddress: RPCMethod {
    public static let name = "reminders.removeAddress"
    public static let summary = "Removes the address of a channel. Idempotent."
    public static let access = MethodAccess.accounts
    public struct Params: Codable, Sendable {
        /// ``ReminderChannel/push`` removes the subscriptions of all browsers.
        public var channel: ReminderChannel
        public init(channel: ReminderChannel) { self.channel = channel }
    }
    public typealias Result = ReminderSettings
}

public enum RemindersPushKey: RPCMethod {
    public static let name = "reminders.pushKey"
    public static let summary = "Returns the key with which browsers subscribe to Web Push (RFC 8292)."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.conflict]
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Public key of the server for `applicationServerKey`: a P-256 point in base64url.
        public var key: String
        public init(key: String) { self.key = key }
    }
}

public enum RemindersSubscribePush: RPCMethod {
    public static let name = "reminders.subscribePush"
    public static let summary = """
        Subscribes a browser to reminders. Idempotent. A browser gets the reminders of one account.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.conflict]
    /// The subscription, as from `PushSubscription.toJSON()`.
    public struct Params: Codable, Sendable {
        /// Keys of the browser in base64url.
        public struct Keys: Codable, Sendable {
            /// Public key, a P-256 point: 65 bytes.
            public var p256dh: String
            /// Authentication secret: 16 bytes.
            public var auth: String
            public init(p256dh: String, auth: String) {
                self.p256dh = p256dh
                self.auth = auth
            }
        }
        /// Address of the browser at its push service: https, at most 1,024 bytes.
        public var endpoint: String
        /// Keys for encrypting messages to the browser.
        public var keys: Keys
        /// Name of the browser, at most 100 characters.
        public var client: String?
        public init(endpoint: String, keys: Keys, client: String? = nil) {
            self.endpoint = endpoint
            self.keys = keys
            self.client = client
        }
    }
    public typealias Result = ReminderSettings
}

public enum RemindersUnsubscribePush: RPCMethod {
    public static let name = "reminders.unsubscribePush"
    public static let summary = "Ends the subscription of a browser. Idempotent."
    public static let access = MethodAccess.accounts
    public struct Params: Codable, Sendable {
        /// Address of the browser at its push service.
        public var endpoint: String
        public init(endpoint: String) { self.endpoint = endpoint }
    }
    public typealias Result = ReminderSettings
}

public enum RemindersTest: RPCMethod {
    public static let name = "reminders.test"
    public static let summary = "Sends a test message through a channel."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.conflict]
    public struct Params: Codable, Sendable {
        /// A channel in the state ``ReminderChannelState/on``.
        public var channel: ReminderChannel
        public init(channel: ReminderChannel) { self.channel = channel }
    }
    public struct Result: Codable, Sendable {
        /// Number of addresses or browsers to which the server sends.
        public var sending: Int
        public init(sending: Int) { self.sending = sending }
    }
}

extension APIRegistry {
    static let reminders: [any RPCMethod.Type] = [
        RemindersSettings.self, RemindersSaveSettings.self, RemindersSetAddress.self, RemindersConfirm.self,
        RemindersRemoveAddress.self, RemindersPushKey.self, RemindersSubscribePush.self, RemindersUnsubscribePush.self,
        RemindersTest.self,
    ]
}
