import Hub
import Services
import Wire

extension Router {
    /// Adds the methods for conversations and groups.
    mutating func addChat(_ chat: Chat, _ hub: Hub) {
        addReading(chat)
        addForAccount(ChatSettingsGet.self) { identity, _ in try await chat.settings(of: identity) }
        addSetting(ChatSettingsSave.self, hub) { try await chat.save($1, of: $0) }
        addWriting(chat)
        addGroups(chat)
    }

    private mutating func addReading(_ chat: Chat) {
        addForAccount(ChatList.self) { identity, _ in
            ChatList.Result(conversations: try await chat.list(of: identity))
        }
        addForAccount(ChatConversation.self) { try await chat.conversation($1, for: $0) }
        addForAccount(ChatHistory.self) { try await chat.history($1, for: $0) }
        addForAccount(ChatSearch.self) { try await chat.search($1, for: $0) }
        addForAccount(ChatRead.self) { try await chat.read($1, by: $0) }
        addForAccount(ChatDelivered.self) { try await chat.delivered($1, by: $0) }
        addForAccount(ChatTyping.self) { identity, params in
            try await chat.typing(params, by: identity)
            return Empty()
        }
        addForAccount(ChatMute.self) { try await chat.mute($1, by: $0) }
    }

    private mutating func addWriting(_ chat: Chat) {
        let limits = limits
        addRaw(
            ChatSend.self,
            inFlight: { caller, request, completion in
                guard chat.loop.isCurrent else { return false }
                let (identity, params) = try Self.message(caller, request, limits)
                try chat.sendInline(params, by: identity) { position in
                    completion(position.map { position in Self.reply(to: request, position) })
                }
                return true
            },
            { caller, request in
                let (identity, params) = try Self.message(caller, request, limits)
                return Self.reply(to: request, try await chat.send(params, by: identity))
            })
        addForAccount(ChatEdit.self) { try await chat.edit($1, by: $0) }
        addForAccount(ChatDelete.self) { try await chat.delete($1, by: $0) }
        addForAccount(ChatReact.self) { try await chat.react($1, by: $0) }
    }

    private static func message(
        _ caller: any Caller, _ request: RawRequest, _ limits: RequestLimits
    ) throws -> (Identity, ChatSend.Params) {
        let params = try request.sendParams()
        let identity = try caller.requireIdentity()
        try limits.count(ChatSend.limits, by: caller)
        return (identity, params)
    }

    private static func reply(to request: RawRequest, _ position: ChatPosition) -> [UInt8]? {
        request.id.map { WireJSON.encode(Success(id: $0, result: position)) }
    }

    private mutating func addGroups(_ chat: Chat) {
        let limits = limits
        addForAccount(GroupCreate.self) { identity, params in
            try limits.use(.invite, of: identity.account.id, uses: 1 + (params.invite?.count ?? 0))
            return ConversationParams(conversation: try await chat.create(params, by: identity))
        }
        addForAccount(GroupInvite.self) { identity, params in
            try limits.use(.invite, of: identity.account.id, uses: params.accounts.count)
            return GroupInvite.Result(invited: try await chat.invite(params, by: identity))
        }
        addForAccount(GroupAnswer.self) { identity, params in
            try await chat.answer(params, by: identity)
            return ConversationParams(conversation: params.conversation)
        }
        addForAccount(GroupLeave.self) { identity, params in
            try await chat.leave(params, by: identity)
            return params
        }
        addForAccount(GroupRename.self) { try await chat.rename($1, by: $0) }
        addForAccount(GroupRemove.self) { try await chat.remove($1, by: $0) }
        addForAccount(GroupRole.self) { try await chat.setRole($1, by: $0) }
    }
}
