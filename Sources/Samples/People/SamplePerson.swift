import CampanileClient
import Wire

/// A sample person: an account, and the client that is signed in with it.
struct SamplePerson: Sendable {
    let client: ResilientClient
    let account: Account
    let profile: SampleProfile

    /// Sends a request that may be refused without harm, such as a repeated answer to an event.
    /// - Returns: Nil if the server refused it, or the connection was lost.
    /// - Throws: ``ClientError`` if the client has ended, `CancellationError`.
    @discardableResult
    func attempt<M: RPCMethod>(_ method: M.Type, _ params: M.Params) async throws -> M.Result? {
        do {
            return try await client.call(method, params)
        } catch is RPCError {
            return nil
        } catch ClientError.disconnected, ClientError.timeout {
            return nil
        }
    }
}
