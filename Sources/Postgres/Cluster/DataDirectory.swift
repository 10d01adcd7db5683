import EventLoop
import Glibc

/// The directory with the private cluster, the keys and the certificate.
public enum DataDirectory {
    /// Creates the directory with access for its user only, and missing parents as `mkdir -p` does. An existing directory is not
    /// changed.
    ///
    /// As root, the mode is 0711: PostgreSQL's user must reach its own directory inside. ErasureHandlers can pass through but not list it.
    /// Blocks briefly.
    /// - Throws: ``EventLoop/SystemError``.
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

    /// Whether a data directory contains a private cluster, complete or not.
    public static func hasCluster(_ path: String) -> Bool { access("\(path)/postgres/data", F_OK) == 0 }
}
