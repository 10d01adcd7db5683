import EventLoop
import Glibc

/// The directory with the private cluster, the keys and the certificate.
public enum DataDirectory {
    /// Makes the directory, closed to other users; one that is there stays as it is. As root, others may pass through it (0711) but not list
    /// it: PostgreSQL's user must reach its own directory inside. Missing directories above it are made as `mkdir -p` makes them.
    /// - Throws: ``EventLoop/SystemError``.
    ///
    /// Blocks for a moment.
    public static func make(_ path: String) throws(SystemError) {
        var partial = path.hasPrefix("/") ? "" : "."
        let components = path.split(separator: "/")
        for (index, component) in components.enumerated() {
            partial += "/\(component)"
            let mode: mode_t = index + 1 < components.count ? 0o755 : geteuid() == 0 ? 0o711 : 0o700
            guard mkdir(partial, mode) == 0 || errno == EEXIST else {
                throw SystemError(call: "mkdir", code: errno)
            }
        }
    }

    /// Whether there is a private cluster in a data directory, also one that was begun.
    public static func hasCluster(_ path: String) -> Bool { access("\(path)/postgres/data", F_OK) == 0 }
}
