extension TopicKind {
    /// Declaration of the kind. There is no `default`, so that the compiler asks for the declaration of a new kind.
    public var declaration: TopicDeclaration {
        switch self {
        case .zonePositions:
            declare(
                "zone/<id>/positions", "Runners in a zone of the campus.", .everybody,
                reply: Subscribed<ZoneSnapshot>.self,
                [.init(ZoneUpdate.self, type: "positions"), .init(TopicClosed.self, type: "closed")],
                closeReasons: [.zoneRemoved])
        case .cellPositions:
            declare(
                "cell/<zoom>/<x>/<y>", "Runners in a cell of the map. `positions.view` opens the cells of a viewport.",
                .everybody, reply: nil,
                [.init(ZoneUpdate.self, type: "positions"), .init(CountsUpdate.self, type: "counts")])
        case .session:
            declare(
                "session/<id>", "One session: its state, its runner, added points and its present watchers.",
                .everybody, params: ["share"], reply: Subscribed<SessionSnapshot>.self, [.init(SessionUpdate.self)],
                closeReasons: [.notShared, .linkRevoked, .linkExpired])
        case .notices:
            declare(
                "notices",
                "Notices for the caller's account. An account gets some entries of one log, so offsets have gaps.",
                .accounts, reply: Resumed<NoticeEvent>.self, [.init(NoticeEvent.self)])
        case .campusNotices:
            declare(
                "campus/notices", "Notices to everybody.", .everybody, reply: Resumed<NoticeEvent>.self,
                [.init(NoticeEvent.self)])
        case .zoneNotices:
            declare(
                "zone/<id>/notices", "Notices to people in a zone, or interested in it.", .everybody,
                reply: Resumed<NoticeEvent>.self,
                [.init(NoticeEvent.self), .init(TopicClosed.self, type: "closed")],
                closeReasons: [.zoneRemoved])
        case .chat:
            declare(
                "chat/<id>", "The events of a conversation, for its members; without an offset: typing and receipts.",
                .accounts, reply: Resumed<ChatEvent>.self, [.init(ChatEvent.self), .init(ChatAside.self)])
        case .user:
            declare(
                "user/<id>", "Signals for the caller's own account.", .accounts, reply: SubscribedTopic.self,
                [.init(UserSignal.self)])
        case .heatmap:
            declare(
                "heatmap", "Approximate numbers of people by place.", .everybody,
                reply: Subscribed<HeatmapUpdate>.self, [.init(HeatmapUpdate.self, type: "heatmap")])
        case .share:
            declare(
                "share/<id>", "The location that a share shows.", .everybody, params: ["share"],
                reply: Subscribed<ShareSnapshot>.self, [.init(ShareUpdate.self)],
                closeReasons: [.notShared])
        case .people:
            declare(
                "people/<x>/<y>", "People in a cell of zoom 16 who share their location with everybody on campus.",
                .confirmed, reply: Subscribed<PeopleUpdate>.self, [.init(PeopleUpdate.self, type: "people")])
        case .route:
            declare(
                "route/<id>",
                "New routes of a walk, for its owner. `routes.walk` and `routes.resume` open it; `subscribe` does not.",
                .everybody, reply: nil, [.init(RouteUpdate.self, type: "route")])
        case .workout:
            declare(
                "workout/<id>", "A live group: the progress of its members, for its members.", .accounts,
                reply: Subscribed<LiveGroupSnapshot>.self, [.init(LiveGroupUpdate.self)],
                closeReasons: [.notShared, .groupEnded])
        case .test:
            declare(
                "test/<n>", "Messages of `test.publish`, on servers with test endpoints.", .everybody,
                reply: Resumed<TestPublication>.self, [.init(TestPublication.self, type: "test")])
        }
    }

    private func declare(
        _ pattern: String, _ summary: String, _ access: MethodAccess,
        params: [String] = [], reply: (any (Decodable & Sendable).Type)?, _ pushes: [TopicDeclaration.Push],
        closeReasons: [TopicCloseReason] = []
    ) -> TopicDeclaration {
        TopicDeclaration(
            kind: self, pattern: pattern, summary: summary, delivery: isReliable ? .reliable : .latest, access: access,
            params: params + (isReliable ? ["since"] : []), reply: reply, pushes: pushes,
            closeReasons: closeReasons)
    }
}

extension APIRegistry {
    /// All kinds of topics.
    public static let topics: [TopicDeclaration] = TopicKind.allCases.map(\.declaration)
}
