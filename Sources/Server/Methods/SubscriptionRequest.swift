import Hub
import HubCore
import Services
import Wire

/// A `subscribe` request: which service answers it follows from the topic. The topic's feed sends the reply, in the step that adds the
/// subscriber, so that the subscriber misses nothing and receives nothing twice. Only the reply about a finished session comes from here.
struct SubscriptionRequest {
    private let caller: any Caller
    private let services: ServiceSet
    private let subscriber: any Subscriber
    private let topic: Topic
    private let params: SubscribeParams
    private let id: RequestID

    /// - Parameter requiresConfirmation: Whether provisional accounts may follow nothing for accounts but their own signals.
    /// - Throws: ``Wire/RPCError`` for a topic that does not exist or is not open to the caller, or a request without an id.
    init(
        _ caller: any Caller, _ request: RawRequest, _ services: ServiceSet, requiresConfirmation: Bool
    ) throws {
        params = try request.params(SubscribeParams.self)
        (subscriber, topic) = try Router.target(caller, params.topic)
        // The signals of its account have an outdated client send what it holds.
        if topic.kind != .user { try caller.requireSupportedProtocol() }
        if let refusal = topic.access.refusal(
            of: caller.identity?.account, to: params.topic,
            requiresConfirmation: requiresConfirmation && topic.kind != .user)
        {
            throw refusal
        }
        try Router.requireSecondFactor(caller, for: topic.access)
        guard let id = request.id else { throw RPCError(.invalidRequest, "subscribe needs an id", field: "id") }
        self.id = id
        self.caller = caller
        self.services = services
    }

    /// Subscribes and sends the reply.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    func run() async throws {
        switch topic {
        case .zonePositions(let zone): try await watch(zone: zone)
        case .cellPositions:
            throw RPCError.invalid("topic", "cells have no subscription: use positions.view")
        case .route:
            throw RPCError.invalid(
                "topic", "is open to the connection of its walk alone: routes.walk and routes.resume open it")
        case .workout(let group):
            let account = try caller.requireIdentity().account.id
            try await services.together.watch(subscriber, group, as: account) { snapshot($0) }
        case .session(let session): try await watch(session: session)
        case .user(let account): try await follow(account)
        case .chat(let conversation):
            let identity = try caller.requireIdentity()
            try await services.chat.watch(subscriber, conversation, for: identity, since: params.since, reply: replied)
        case .notices:
            let identity = try caller.requireIdentity()
            try await services.notices.watch(subscriber, for: identity, since: params.since, reply: replied)
        case .campusNotices, .zoneNotices, .test:
            try await services.publications.watch(subscriber, topic, since: params.since, reply: replied)
        case .heatmap: try await services.hub.heatmap.subscribe(subscriber, reply: { snapshot($0) })
        case .share(let share):
            try await services.sharing.watch(subscriber, share, identity: caller.identity, token: params.share) {
                snapshot($0)
            }
        case .people(let cell):
            let account = try caller.requireIdentity().account.id
            try await services.hub.shares.subscribe(subscriber, toPeople: cell, as: account) { snapshot($0) }
        }
    }

    private func watch(zone: Int64) async throws {
        guard services.campus.snapshot.info.zones.contains(where: { $0.id == zone }) else {
            throw RPCError(.notFound, "there is no such zone: hello lists them", field: "topic")
        }
        try await services.hub.sessions.subscribe(subscriber, zone: zone, viewer: caller.viewer) { snapshot($0) }
    }

    private func watch(session: Int64) async throws {
        let reply = try await services.tracking.watch(
            subscriber, session: session, identity: caller.identity, share: params.share
        ) { snapshot($0) }
        if let reply { subscriber.deliver(Delivery(topic: topic, json: reply, lane: .reliable)) }
    }

    private func follow(_ account: Int64) async throws {
        guard try caller.requireIdentity().account.id == account else {
            throw RPCError(
                .forbidden, "the topic of another account is private: subscribe to user/<your account>", field: "topic")
        }
        let (id, name) = (id, params.topic)
        try await services.hub.signals.subscribe(subscriber, account: account) {
            Router.json(Success(id: id, result: SubscribedTopic(topic: name)))
        }
    }

    @Sendable private func snapshot(_ snapshot: some Codable & Sendable) -> [UInt8] {
        Router.json(Success(id: id, result: Subscribed(topic: params.topic, snapshot: snapshot)))
    }

    @Sendable private func replied(_ recovery: Recovery) -> [UInt8] { Router.success(id, result: recovery.json) }
}
