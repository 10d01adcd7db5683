/// Version of the protocol, which a client states in `hello`.
///
/// It is raised by a change that a client of the version before cannot follow. Changes that it can ignore, such as new methods and new
/// members, do not raise it. A client whose version the server no longer supports may still send what it holds: the methods with
/// ``RPCMethod/isForOutdated``.
public enum ProtocolVersion {
    /// Version that this build speaks, and that of a client which states none.
    public static let current = 1
    /// Oldest version that this build fully supports.
    public static let oldestSupported = 1
}
