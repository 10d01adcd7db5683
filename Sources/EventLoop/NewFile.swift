import CEpoll
import Glibc

/// Gives a complete file its name. Everything here blocks.
public enum NewFile {
    /// Renames a file, unless there is one of that name. On a file system that cannot do both at once, an empty file has the name for a
    /// moment.
    /// - Throws: ``SystemError``; `EEXIST` when there is one.
    public static func rename(_ from: String, to path: String) throws(SystemError) {
        try rename(from, to: path) { campanile_rename_new($0, $1) }
    }

    /// - Parameter rename: renameat2(2) with RENAME_NOREPLACE; another one in tests.
    static func rename(
        _ from: String, to path: String, by rename: (String, String) -> Int32
    ) throws(SystemError) {
        if rename(from, path) == 0 { return }
        // Old kernels, and network and user-space file systems without the flag.
        guard [ENOSYS, EINVAL, EOPNOTSUPP].contains(errno) else { throw SystemError(call: "renameat2", code: errno) }
        let reserved = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard reserved >= 0 else { throw SystemError(call: "open", code: errno) }
        close(reserved)
        guard Glibc.rename(from, path) == 0 else {
            let code = errno
            unlink(path)
            throw SystemError(call: "rename", code: code)
        }
    }
}
