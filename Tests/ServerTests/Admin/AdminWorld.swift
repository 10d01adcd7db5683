import CampanileClient
import Foundation
import Postgres
import TestSupport
import Wire

@testable import Server

/// Somebody with a role, signed in.
struct Official: Sendable {
    let client: ChatClient
    let token: String
    let id: Int64
    let username: String

    var email: String { "\(username)@example.org" }

    /// Registers somebody, gives them the role as the operator does, and signs them in with it.
    init(_ server: TestServer, _ role: Role, at other: TestServer? = nil) async throws {
        let (connection, signedIn) = try await server.register()
        await connection.close()
        (token, id, username) = (signedIn.token, signedIn.account.id, signedIn.account.username)
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            "UPDATE accounts SET role = $2 WHERE id = $1", [.int(id), .text(role.rawValue)])
        client = try await ChatClient(other ?? server, token: token)
    }

    /// Signs in once more.
    func again(_ server: TestServer, password: String = TestServer.password) async throws -> ChatClient {
        let client = try await ChatClient(server)
        _ = try await client.call(AccountLogin.self, .init(email: email, password: password))
        return client
    }
}

extension ChatClient {
    /// What a request is refused with; nil when it is not.
    func refusal<M: RPCMethod>(_ method: M.Type, _ params: M.Params) async throws -> RPCError? {
        do {
            _ = try await call(method, params)
            return nil
        } catch let error as RPCError {
            return error
        }
    }

    func isClosed(with code: CampanileCloseCode, _ cause: SignOutCause? = nil) async throws -> Bool {
        try await eventually("a close") { self.closeCode } == Int(code.rawValue)
            && (cause == nil || closeReason == cause?.reason)
    }
}
