import Hub
import HubCore
import Services
import Wire

extension Router {
    /// Adds the methods for routes, walks, floor plans and closures. The topic's feed sends the replies that open a walk.
    mutating func addRoutes(_ routes: Routes) {
        add(RoutesFind.self) { try await routes.find($1, for: $0.identity) }
        let limits = limits
        addRaw(RoutesWalk.self) { caller, request in
            let params = try request.params(RoutesWalk.Params.self)
            let subscriber = try Self.walker(caller)
            try limits.count(RoutesWalk.limits, by: caller)
            try await routes.walk(params, for: caller.identity, on: subscriber) { Self.walkReply(request, $0) }
            return nil
        }
        add(RoutesMove.self) { try await routes.move($1, for: $0.identity) }
        addRaw(RoutesResume.self) { caller, request in
            let params = try request.params(RoutesResume.Params.self)
            try await routes.resume(params, for: caller.identity, on: Self.walker(caller)) {
                Self.walkReply(request, $0)
            }
            return nil
        }
        add(RoutesEnd.self) { caller, params in
            await routes.end(params, for: caller.identity)
            return Empty()
        }
        add(RoutesClosures.self) { _, _ in await routes.present() }
        add(PlacesFloors.self) { try await routes.floors($1) }
        addForAccount(AdminClosures.self) { _, _ in try await routes.listed() }
        addForAccount(AdminClosable.self) { try await routes.closable($1) }
        addForAccount(AdminSaveClosure.self) { try await routes.save($1, by: $0) }
        addForAccount(AdminEndClosure.self) { try await routes.end($1, by: $0) }
    }

    /// The connection that a walk publishes to.
    private static func walker(_ caller: any Caller) throws -> any Subscriber {
        guard let subscriber = caller.subscriber else { throw needsWebSocket }
        return subscriber
    }

    private static func walkReply(_ request: RawRequest, _ walk: Walk) -> [UInt8] {
        request.id.map { WireJSON.encode(Success(id: $0, result: walk)) } ?? []
    }
}
