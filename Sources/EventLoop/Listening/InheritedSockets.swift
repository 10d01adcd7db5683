import Glibc

/// Listening sockets that a supervisor opened for this process: systemd's socket activation (sd_listen_fds(3)). The
/// supervisor keeps them over a restart, so connections wait in the kernel meanwhile and none is refused.
public enum InheritedSockets {
    /// The first descriptor passed; the others follow (`SD_LISTEN_FDS_START`).
    static let firstDescriptor: Int32 = 3
    /// More are not looked at.
    static let countMax = 64

    /// Takes them, once: later calls, and programs that this one starts, find nothing.
    /// - Throws: ``ListeningSocket/NotListening`` when a descriptor is no listening TCP socket.
    public static func take() throws -> [ListeningSocket] {
        let count = count(
            process: variable("LISTEN_PID"), descriptors: variable("LISTEN_FDS"), processID: getpid())
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        // All are adopted, and closed again, even when one is of no use.
        let sockets = (0..<count).map { number in
            Result { try ListeningSocket(adopting: firstDescriptor + Int32(number)) }
        }
        return try sockets.map { try $0.get() }
    }

    /// How many there are for the process; the variables may be meant for its parent.
    static func count(process: String?, descriptors: String?, processID: Int32) -> Int {
        guard process.flatMap({ Int32($0) }) == processID, let count = descriptors.flatMap({ Int($0) }), count > 0
        else { return 0 }
        return min(count, countMax)
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
