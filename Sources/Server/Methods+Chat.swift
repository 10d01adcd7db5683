import Hub
import Services
import Wire

extension Router {
    /// Adds conversations and groups.
    mutating func addChat(_ chat: Chat) {
        addReading(chat)
        addWriting(chat)
        addGroups(chat)
    }

    private mutating func addReading(_ chat: Chat) {
        let limits = limits
        add(ChatList.self) { caller, _ in
            ChatList.Result(conversations: try await chat.list(of: try caller.requireIdentity()))
        }
        add(ChatConversation.self) { try await chat.conversation($1, for: try $0.requireIdentity()) }
        add(ChatHistory.self) { try await chat.history($1, for: try $0.requireIdentity()) }
        add(ChatSearch.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.search(by: identity.account.id)
            return try await chat.search(params, for: identity)
        }
        add(ChatRead.self) { try await chat.read($1, by: try $0.requireIdentity()) }
        add(ChatDelivered.self) { try await chat.delivered($1, by: try $0.requireIdentity()) }
        add(ChatTyping.self) { caller, params in
            try await chat.typing(params, by: try caller.requireIdentity())
            return Empty()
        }
        add(ChatMute.self) { try await chat.mute($1, by: try $0.requireIdentity()) }
        add(ChatSettingsGet.self) { caller, _ in try await chat.settings(of: try caller.requireIdentity()) }
        add(ChatSettingsSave.self) { try await chat.save($1, of: try $0.requireIdentity()) }
    }

    private mutating func addWriting(_ chat: Chat) {
        let limits = limits
        addRaw(
            ChatSend.name,
            underWay: { caller, request, completion in
                guard chat.loop.isCurrent else { return false }
                let (identity, params) = try Self.message(caller, request, limits)
                try chat.sendAtOnce(params, by: identity) { place in
                    completion(place.map { place in Self.reply(to: request, place) })
                }
                return true
            },
            { caller, request in
                let (identity, params) = try Self.message(caller, request, limits)
                return Self.reply(to: request, try await chat.send(params, by: identity))
            })
        add(ChatEdit.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.message(of: identity.account.id)
            return try await chat.edit(params, by: identity)
        }
        add(ChatDelete.self) { try await chat.delete($1, by: try $0.requireIdentity()) }
        add(ChatReact.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.message(of: identity.account.id)
            return try await chat.react(params, by: identity)
        }
    }

    private static func message(
        _ caller: any Caller, _ request: RawRequest, _ limits: RequestLimits
    ) throws -> (Identity, ChatSend.Params) {
        let params = try request.sendParams()
        let identity = try caller.requireIdentity()
        try limits.message(of: identity.account.id)
        return (identity, params)
    }

    private static func reply(to request: RawRequest, _ place: ChatPlace) -> [UInt8]? {
        request.id.map { WireJSON.encode(Success(id: $0, result: place)) }
    }

    private mutating func addGroups(_ chat: Chat) {
        let limits = limits
        add(GroupCreate.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.invitation(of: identity.account.id, people: 1 + (params.invite?.count ?? 0))
            return ConversationParams(conversation: try await chat.create(params, by: identity))
        }
        add(GroupInvite.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.invitation(of: identity.account.id, people: params.accounts.count)
            return GroupInvite.Result(invited: try await chat.invite(params, by: identity))
        }
        add(GroupAnswer.self) { caller, params in
            try await chat.answer(params, by: try caller.requireIdentity())
            return ConversationParams(conversation: params.conversation)
        }
        add(GroupLeave.self) { caller, params in
            try await chat.leave(params, by: try caller.requireIdentity())
            return params
        }
        add(GroupRename.self) { try await chat.rename($1, by: try $0.requireIdentity()) }
        add(GroupRemove.self) { try await chat.remove($1, by: try $0.requireIdentity()) }
        add(GroupRole.self) { try await chat.setRole($1, by: try $0.requireIdentity()) }
    }
}
