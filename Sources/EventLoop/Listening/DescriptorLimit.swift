import Glibc

/// Limit on the descriptors of the process.
public enum DescriptorLimit {
    /// Descriptors reserved for the database, files and the loops themselves.
    public static let headroom = 256
    /// Highest limit requested: some programs that the server starts iterate over all possible descriptors.
    static let raisedMax: rlim_t = 1_048_576
    /// Lowest default for connections, when the headroom would leave fewer.
    static let connectionsMin = 16

    /// Raises the soft limit to the hard limit. Call it once, at the start.
    /// - Returns: The limit from now on.
    @discardableResult
    public static func raise() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return current }
        let wanted = min(limit.rlim_max, raisedMax)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            setrlimit(resource, &limit)
        }
        return current
    }

    /// The soft limit.
    public static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Connections that fit under the limit, with ``headroom`` left.
    public static var connectionsMaxDefault: Int { max(connectionsMin, current - headroom) }
}
