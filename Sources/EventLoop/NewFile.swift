import CEpoll
import Glibc

/// Moves a complete file to its final name. All functions block.
public enum NewFile {
    /// Renames a file unless the new name exists. On a file system that cannot do both atomically, the name refers to an empty file
    /// for a moment.
    /// - Throws: ``SystemError``; `EEXIST` if the new name exists.
    public static func rename(_ from: String, to path: String) throws(SystemError) {
        try rename(from, to: path) { campanile_rename_new($0, $1) }
    }

    /// - Parameter rename: renameat2(2) with RENAME_NOREPLACE; tests pass another function.
    static func rename(
        _ from: String, to path: String, by rename: (String, String) -> Int32
    ) throws(SystemError) {
        if rename(from, path) == 0 { return }
        // Old kernels, and network and user-space file systems, lack the flag.
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
