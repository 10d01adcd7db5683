import Glibc

/// Listening sockets that a supervisor opened for this process: systemd's socket activation (sd_listen_fds(3)). The supervisor
/// keeps them open over a restart, so new connections wait in the kernel meanwhile and none is refused.
public enum InheritedSockets {
    /// The first descriptor passed; the others follow (`SD_LISTEN_FDS_START`).
    static let firstDescriptor: Int32 = 3
    /// Descriptors taken at most; further ones are ignored.
    static let countMax = 64

    /// Takes the sockets, once: later calls, and child processes, find none.
    /// - Throws: ``ListeningSocket/NotListening`` if a descriptor is not a listening TCP socket.
    public static func take() throws -> [ListeningSocket] {
        let count = count(
            process: variable("LISTEN_PID"), descriptors: variable("LISTEN_FDS"), processID: getpid())
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        // All descriptors are adopted, so that all are closed if one is unusable.
        let sockets = (0..<count).map { number in
            Result { try ListeningSocket(adopting: firstDescriptor + Int32(number)) }
        }
        return try sockets.map { try $0.get() }
    }

    /// Number of descriptors passed to this process. The variables may be meant for its parent.
    static func count(process: String?, descriptors: String?, processID: Int32) -> Int {
        guard process.flatMap({ Int32($0) }) == processID, let count = descriptors.flatMap({ Int($0) }), count > 0
        else { return 0 }
        return min(count, countMax)
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
