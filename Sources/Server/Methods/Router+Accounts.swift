import Services
import Wire

/// Methods that guests cannot call.
extension Router {
    /// Adds a method that guests cannot call.
    mutating func addForAccount<M: RPCMethod>(
        _ method: M.Type, _ body: @escaping @Sendable (Identity, M.Params) async throws -> M.Result
    ) {
        Self.requireAccount(M.access, M.name)
        add(method) { caller, params in try await body(try caller.requireIdentity(), params) }
    }

    /// Adds a method that guests cannot call and whose result writes its own JSON text.
    mutating func addForAccount<M: RPCMethod>(
        _ method: M.Type, _ body: @escaping @Sendable (Identity, M.Params) async throws -> M.Result
    ) where M.Result: JSONWritable {
        Self.requireAccount(M.access, M.name)
        add(method) { caller, params in try await body(try caller.requireIdentity(), params) }
    }

    /// Closes what admins may do to an admin without the second factor that the server requires.
    static func requireSecondFactor(_ caller: any Caller, for access: MethodAccess) throws {
        guard case .roles(let roles) = access, roles.contains(.admin), caller.identity?.lacksSecondFactor == true
        else { return }
        throw MethodAccess.needsSecondFactor
    }

    private static func requireAccount(_ access: MethodAccess, _ name: String) {
        precondition(!access.admits(nil), "\(name) is open to guests, who have no identity")
    }
}
