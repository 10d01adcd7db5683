import EventLoop
import Foundation
import Hub
import HubCore
import Routing
import Wire

/// Walks. They live at the node of their connection, in memory.
extension Routes {
    /// Attempts to find a route while the conditions change at the same time.
    private static let attemptsMax = 5
    private static let noWalk = RPCError(
        .notFound, "there is no such walk any more: start the route again", field: "walk")

    /// The result of a search for a walk, for the present conditions.
    private struct Outcome: Sendable {
        var route: Route?
        var info: RouteInfo?
        var error: RouteError?
        var openCost: Int64
    }

    /// Starts a walk. The reply goes out before any publication.
    /// - Parameter reply: Encodes the reply around the walk.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func walk(
        _ params: RoutesWalk.Params, for identity: Identity?, on subscriber: any Subscriber,
        reply: @Sendable (Walk) -> [UInt8]
    ) async throws {
        let profile = try Self.profile(params.preferences)
        _ = try map()
        guard walks.count < Self.walksMax else {
            throw RPCError(
                .unavailable, "too many people are being led at the moment: try again in a minute", retryAfter: 60)
        }
        let from = try await locate(params.from, "from", for: identity)
        let to = try await locate(params.to, "to", for: identity)
        let outcome = try await current(from.end, to, profile)
        if let error = outcome.error {
            metrics.missing.add()
            throw Self.error(error)
        }
        metrics.found.add()
        let walk = LiveWalk(
            id: UUID(), account: identity?.account.id, profile: profile, destination: to.end, entersPoint: to.isPoint,
            startedAt: monotonic(), start: from.end, route: outcome.route, info: outcome.info,
            openCost: outcome.openCost, crowd: conditions.crowdNumber)
        walks[walk.id] = walk
        try open(walk, subscriber, reply)
    }

    /// Opens the topic of a walk in the step in which the walk is current.
    private func open(_ walk: LiveWalk, _ subscriber: any Subscriber, _ reply: @Sendable (Walk) -> [UInt8]) throws {
        do {
            let bytes = reply(walk.shown)
            let before = try hub.routes.assumeIsolated { try $0.open(walk.id, for: subscriber, reply: bytes) }
            if let before { walks[before] = nil }
        } catch {
            walks[walk.id] = nil
            throw error
        }
    }

    /// Searches until the conditions have not changed meanwhile. With the last change the walk would miss its effect otherwise.
    private func current(_ start: RouteEnd, _ to: Located, _ profile: RouteProfile) async throws -> Outcome {
        for attempt in 1... {
            let generation = generation
            let weights = try await weights(profile)
            let (people, now, end) = (conditions.people, now(), to)
            let outcome = try await search { [finders] in
                finders.with { finder in
                    do throws(RouteError) {
                        let route = try finder.route(from: start, to: end.end, weights)
                        return Outcome(
                            route: route,
                            info: RoutePresenter(weights: weights, people: people, now: now).info(
                                route, isPoint: end.isPoint),
                            openCost: Self.openCost(from: start, to: end.end, route, weights, &finder))
                    } catch {
                        return Outcome(
                            error: error, openCost: Self.openCost(from: start, to: end.end, nil, weights, &finder))
                    }
                }
            }
            if generation == self.generation { return outcome }
            guard attempt < Self.attemptsMax else { break }
        }
        throw RPCError(.unavailable, "the paths are changing at the moment: ask again", retryAfter: 1)
    }

    /// The caller's walk.
    /// - Throws: ``Wire/RPCError`` `notFound`.
    private func own(_ id: String, _ identity: Identity?) throws -> LiveWalk {
        guard id.utf8.count <= Self.destinationBytesMax, let id = UUID(uuidString: id), let walk = walks[id],
            walk.account == identity?.account.id
        else { throw Self.noWalk }
        return walk
    }

    /// Finds the route of a walk from another position.
    /// - Throws: ``Wire/RPCError``.
    public func move(_ params: RoutesMove.Params, for identity: Identity?) async throws -> Walk {
        let walk = try own(params.walk, identity)
        if let accuracy = params.accuracy, !(0...Self.accuracyMetresMax).contains(accuracy) {
            throw RPCError.invalid(
                "accuracy", "must be 0 to \(Int(Self.accuracyMetresMax)) metres: wait for a better position")
        }
        let start = RouteEnd.point(
            try Self.point(params.lat, params.lon, "lat"), level: try Self.level(params.level, "level"))
        let to = Located(end: walk.destination, isPoint: walk.entersPoint)
        let outcome = try await current(start, to, walk.profile)
        guard var present = walks[walk.id] else { throw Self.noWalk }
        if let error = outcome.error {
            let answer = Self.error(error, from: "lat", to: "walk")
            // A position that cannot be used changes nothing; without a route the walk waits for an opening.
            guard answer.code == ErrorCode.noRoute.rawValue else { throw answer }
            metrics.missing.add()
        } else {
            metrics.found.add()
        }
        present.start = start
        present.route = outcome.route
        present.info = outcome.info
        present.message = outcome.error?.description
        present.openCost = outcome.openCost
        present.crowd = conditions.crowdNumber
        present.version += 1
        walks[walk.id] = present
        return present.shown
    }

    /// Continues a walk on another connection of its owner.
    /// - Throws: ``Wire/RPCError``.
    public func resume(
        _ params: WalkParams, for identity: Identity?, on subscriber: any Subscriber,
        reply: @Sendable (Walk) -> [UInt8]
    ) throws {
        let walk = try own(params.walk, identity)
        let bytes = reply(walk.shown)
        let before = try hub.routes.assumeIsolated { try $0.open(walk.id, for: subscriber, reply: bytes) }
        walks[walk.id]?.lostAt = nil
        if let before { walks[before] = nil }
    }

    /// Ends a walk. Does nothing if there is none of the caller's.
    public func end(_ params: WalkParams, for identity: Identity?) {
        guard let walk = try? own(params.walk, identity) else { return }
        walks[walk.id] = nil
        hub.routes.assumeIsolated { $0.close(walk.id) }
    }
}
