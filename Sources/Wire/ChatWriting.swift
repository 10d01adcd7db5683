// Methods by which members change a conversation.

public enum ChatSend: RPCMethod {
    public static let name = "chat.send"
    public static let summary = """
        Sends a message. The server replies after it has committed the message. A repeated request with the same `id` \
        has no further effect.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = ["text": .message]
    public static let limits: [MethodLimit] = [.each(.message)]
    public static let errors: [ErrorCode] = [.notFound]
    /// A message with a text, a picture, or both.
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// UUID chosen by the client, for example with `crypto.randomUUID()`.
        public var id: String
        /// At most 4,000 characters.
        public var text: String?
        /// Id of an uploaded picture with purpose `chat` that no message contains yet.
        public var picture: String?
        /// Offset of the message to which this one replies.
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
    public typealias Result = ChatPosition
}

public enum ChatEdit: RPCMethod {
    public static let name = "chat.edit"
    public static let summary = """
        Changes the text of a message of the caller. Allowed for 24 hours after the message was sent.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = ["text": .message]
    public static let limits: [MethodLimit] = [.each(.message)]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// Offset of the message.
        @LogOffset public var message: Int64
        /// At most 4,000 characters; may be empty only for a message with a picture.
        public var text: String
        public init(conversation: Int64, message: Int64, text: String) {
            self.conversation = conversation
            self.message = message
            self.text = text
        }
    }
    public typealias Result = ChatPosition
}

/// Position of one message.
public struct MessageParams: Codable, Sendable {
    @ObjectID public var conversation: Int64
    /// Offset of the message.
    @LogOffset public var message: Int64
    public init(conversation: Int64, message: Int64) {
        self.conversation = conversation
        self.message = message
    }
}

public enum ChatDelete: RPCMethod {
    public static let name = "chat.delete"
    public static let summary = """
        Deletes a message for all members. The caller is its author, or an admin or the owner of the group.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public typealias Params = MessageParams
    public typealias Result = ChatPosition
}

public enum ChatReact: RPCMethod {
    public static let name = "chat.react"
    public static let summary = "Adds or withdraws a reaction to a message."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let limits: [MethodLimit] = [.each(.message)]
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// Offset of the message.
        @LogOffset public var message: Int64
        public var emoji: Reaction
        /// True adds the reaction, false withdraws it.
        public var on: Bool
        public init(conversation: Int64, message: Int64, emoji: Reaction, on: Bool) {
            self.conversation = conversation
            self.message = message
            self.emoji = emoji
            self.on = on
        }
    }
    public typealias Result = ChatPosition
}

/// Offset up to which the caller has received or read a conversation.
public struct ReceiptParams: Codable, Sendable {
    @ObjectID public var conversation: Int64
    /// Includes all earlier offsets. An offset below the recorded one changes nothing.
    @LogOffset public var offset: Int64
    public init(conversation: Int64, offset: Int64) {
        self.conversation = conversation
        self.offset = offset
    }
}

public enum ChatRead: RPCMethod {
    public static let name = "chat.read"
    public static let summary = "Records that the person has read the conversation up to an offset."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = ReceiptParams
    public typealias Result = ReceiptParams
}

public enum ChatDelivered: RPCMethod {
    public static let name = "chat.delivered"
    public static let summary = "Records that the device has received the conversation up to an offset."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = ReceiptParams
    public typealias Result = ReceiptParams
}

public enum ChatTyping: RPCMethod {
    public static let name = "chat.typing"
    public static let summary = """
        Notifies the members who have the conversation open that the caller is writing. The server publishes at most \
        one such notification every 2 s.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = ConversationParams
    public typealias Result = Empty
}

public enum ChatMute: RPCMethod {
    public static let name = "chat.mute"
    public static let summary = "Mutes a conversation for the caller. Other members are not notified."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// Seconds, up to one year. 0 ends the muting; nil mutes without an end.
        @Seconds public var seconds: Double?
        public init(conversation: Int64, seconds: Double?) {
            self.conversation = conversation
            self.seconds = seconds
        }
    }
    public struct Result: Codable, Sendable {
        /// Nil if the conversation is not muted.
        public var mutedUntil: Timestamp?
        public init(mutedUntil: Timestamp?) { self.mutedUntil = mutedUntil }
    }
}

/// Activities that the caller shares with other members.
public struct ChatSettings: Codable, Sendable, Equatable {
    /// Whether to share read receipts.
    public var read: Bool
    /// Whether to share delivery receipts.
    public var delivered: Bool
    /// Whether to share that the person is writing.
    public var typing: Bool
    public init(read: Bool = true, delivered: Bool = true, typing: Bool = true) {
        self.read = read
        self.delivered = delivered
        self.typing = typing
    }
}

public enum ChatSettingsGet: RPCMethod {
    public static let name = "chat.settings"
    public static let summary = "Returns the caller's settings."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = Empty
    public typealias Result = ChatSettings
}

public enum ChatSettingsSave: RPCMethod {
    public static let name = "chat.saveSettings"
    public static let summary = "Saves the caller's settings."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = ChatSettings
    public typealias Result = ChatSettings
}

extension APIRegistry {
    static let chatWriting: [any RPCMethod.Type] = [
        ChatSend.self, ChatEdit.self, ChatDelete.self, ChatReact.self, ChatRead.self, ChatDelivered.self,
        ChatTyping.self, ChatMute.self, ChatSettingsGet.self, ChatSettingsSave.self,
    ]
}
