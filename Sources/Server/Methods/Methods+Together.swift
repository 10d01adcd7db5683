import EventLoop
import Services
import Wire

extension Router {
    /// Adds the methods for live groups.
    mutating func addTogether(_ together: Together) {
        let limits = limits
        addForAccount(TogetherCreate.self) { identity, params in
            let uses =
                (params.invite?.count ?? 0) + (params.conversation == nil ? 0 : 10) + (params.event == nil ? 0 : 10)
            try limits.use(.invite, of: identity.account.id, uses: 1 + uses)
            return try await together.create(params, by: identity)
        }
        addForAccount(TogetherInvite.self) { identity, params in
            try limits.use(.invite, of: identity.account.id, uses: params.invite.count)
            return try await together.invite(params, by: identity)
        }
        addForAccount(TogetherJoin.self) { try await together.join($1, by: $0) }
        addForAccount(TogetherLeave.self) { try await together.leave($1, by: $0) }
        addForAccount(TogetherRemove.self) { try await together.remove($1, by: $0) }
        addForAccount(TogetherEnd.self) { try await together.end($1, by: $0) }
        addForAccount(TogetherList.self) { identity, _ in try await together.list(of: identity) }
        addRaw(
            TogetherUpdate.self,
            inFlight: { caller, request, completion in
                let params = try request.params(TogetherUpdate.Params.self)
                let identity = try caller.requireIdentity()
                let (loop, id) = (caller.loop, request.id)
                let finish: @Sendable (Result<Empty, any Error>) -> Void = { result in
                    let answer = result.map { result in id.map { Self.json(Success(id: $0, result: result)) } }
                    if loop.isCurrent { completion(answer) } else { loop.execute { completion(answer) } }
                }
                try together.updateInline(params, by: identity) { outcome in
                    if let outcome { return finish(outcome) }
                    Task {
                        let result: Result<Empty, any Error>
                        do { result = .success(try await together.update(params, by: identity)) } catch {
                            result = .failure(error)
                        }
                        finish(result)
                    }
                }
                return true
            },
            { caller, request in
                let params = try request.params(TogetherUpdate.Params.self)
                let result = try await together.update(params, by: try caller.requireIdentity())
                return request.id.map { Self.json(Success(id: $0, result: result)) }
            })
    }
}
