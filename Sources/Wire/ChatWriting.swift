// What members do to a conversation.

/// `chat.send`: a message. It is committed when this is answered; sent again, it is the same message.
public enum ChatSend: RPCMethod {
    public static let name = "chat.send"
    public static let access = MethodAccess.accounts
    /// A message: words, a picture, or both.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// A UUID, such as one of `crypto.randomUUID()`.
        public var id: String
        /// At most 4,000 characters.
        public var text: String?
        /// The id of an uploaded picture with purpose `chat`, not used yet.
        public var picture: String?
        /// The offset of the message that it answers.
        @LogOffset public var reply: Int64?
        public init(
            conversation: Int64, id: String, text: String? = nil, picture: String? = nil, reply: Int64? = nil
        ) {
            self.conversation = conversation
            self.id = id
            self.text = text
            self.picture = picture
            self.reply = reply
        }
    }
    public typealias Result = ChatPlace
}

/// `chat.edit`: one's own message, within a day.
public enum ChatEdit: RPCMethod {
    public static let name = "chat.edit"
    public static let access = MethodAccess.accounts
    /// The new text.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// The message's offset.
        @LogOffset public var message: Int64
        /// At most 4,000 characters; empty only for a message with a picture.
        public var text: String
        public init(conversation: Int64, message: Int64, text: String) {
            self.conversation = conversation
            self.message = message
            self.text = text
        }
    }
    public typealias Result = ChatPlace
}

/// A message, by its place.
public struct MessageParams: Codable, Sendable {
    /// The conversation's number.
    @ObjectID public var conversation: Int64
    /// The message's offset.
    @LogOffset public var message: Int64
    public init(conversation: Int64, message: Int64) {
        self.conversation = conversation
        self.message = message
    }
}

/// `chat.delete`: one's own message, or anybody's as an admin of the group; for everybody.
public enum ChatDelete: RPCMethod {
    public static let name = "chat.delete"
    public static let access = MethodAccess.accounts
    public typealias Params = MessageParams
    public typealias Result = ChatPlace
}

/// `chat.react`: gives a reaction, or takes it back.
public enum ChatReact: RPCMethod {
    public static let name = "chat.react"
    public static let access = MethodAccess.accounts
    /// A reaction.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// The message's offset.
        @LogOffset public var message: Int64
        /// One of the four.
        public var emoji: Reaction
        /// False takes it back.
        public var on: Bool
        public init(conversation: Int64, message: Int64, emoji: Reaction, on: Bool) {
            self.conversation = conversation
            self.message = message
            self.emoji = emoji
            self.on = on
        }
    }
    public typealias Result = ChatPlace
}

/// How far somebody has got with a conversation.
public struct ReceiptParams: Codable, Sendable {
    /// The conversation's number.
    @ObjectID public var conversation: Int64
    /// Everything up to there; an earlier one than before changes nothing.
    @LogOffset public var offset: Int64
    public init(conversation: Int64, offset: Int64) {
        self.conversation = conversation
        self.offset = offset
    }
}

/// `chat.read`: the person has read up to there.
public enum ChatRead: RPCMethod {
    public static let name = "chat.read"
    public static let access = MethodAccess.accounts
    public typealias Params = ReceiptParams
    public typealias Result = ReceiptParams
}

/// `chat.delivered`: the device has it up to there.
public enum ChatDelivered: RPCMethod {
    public static let name = "chat.delivered"
    public static let access = MethodAccess.accounts
    public typealias Params = ReceiptParams
    public typealias Result = ReceiptParams
}

/// `chat.typing`: told to those who have the conversation open, for some seconds. At most one every 2 s goes out.
public enum ChatTyping: RPCMethod {
    public static let name = "chat.typing"
    public static let access = MethodAccess.accounts
    public typealias Params = ConversationParams
    public typealias Result = Empty
}

/// `chat.mute`: nothing of the conversation is to sound for a while. Others are not told.
public enum ChatMute: RPCMethod {
    public static let name = "chat.mute"
    public static let access = MethodAccess.accounts
    /// How long.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// Seconds, up to a year; 0 takes it back, nil is for good.
        @Seconds public var seconds: Double?
        public init(conversation: Int64, seconds: Double?) {
            self.conversation = conversation
            self.seconds = seconds
        }
    }
    /// Until when.
    public struct Result: Codable, Sendable {
        /// Nil when it is not muted.
        public var mutedUntil: Timestamp?
        public init(mutedUntil: Timestamp?) { self.mutedUntil = mutedUntil }
    }
}

/// What one lets others know.
public struct ChatSettings: Codable, Sendable, Equatable {
    /// That one has read a message.
    public var read: Bool
    /// That one's device has it.
    public var delivered: Bool
    /// That one is writing.
    public var typing: Bool
    public init(read: Bool = true, delivered: Bool = true, typing: Bool = true) {
        self.read = read
        self.delivered = delivered
        self.typing = typing
    }
}

/// `chat.settings`: one's own.
public enum ChatSettingsGet: RPCMethod {
    public static let name = "chat.settings"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = ChatSettings
}

/// `chat.saveSettings`.
public enum ChatSettingsSave: RPCMethod {
    public static let name = "chat.saveSettings"
    public static let access = MethodAccess.accounts
    public typealias Params = ChatSettings
    public typealias Result = ChatSettings
}
