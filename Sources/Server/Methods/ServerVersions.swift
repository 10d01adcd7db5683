/// Versions that `hello` compares with those of the client.
struct ServerVersions: Sendable {
    /// Version of the server.
    let server: String
    /// Version of the web app that the server has.
    let webApp: String
    /// Oldest ``Wire/ProtocolVersion`` that a client may speak.
    let oldestProtocol: Int
}
