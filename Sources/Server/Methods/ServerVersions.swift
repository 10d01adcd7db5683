import Wire

extension Router {
    /// Refuses an outdated client.
    static let outdated = RPCError(
        .clientOutdated, "this client is too old: update it; what it still holds is accepted")
}

/// Versions that `hello` compares with those of the client.
struct ServerVersions: Sendable {
    /// Version of the server.
    let server: String
    /// Version of the web app that the server has.
    let webApp: String
    /// Oldest ``Wire/ProtocolVersion`` that a client may speak.
    let oldestProtocol: Int
}
