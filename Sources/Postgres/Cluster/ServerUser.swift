import Glibc

/// The user that runs PostgreSQL: the current user, or another one if that is root, because PostgreSQL refuses to run as root.
struct ServerUser: Sendable, Equatable {
    static let setpriv = "/usr/bin/setpriv"

    let userID: uid_t
    let groupID: gid_t
    let name: String

    /// Whether the process must change users to run PostgreSQL.
    var isAnother: Bool { geteuid() != userID }

    /// The user for a cluster.
    /// - Parameter path: The cluster's directory. Its owner keeps running the cluster.
    static func choose(path: String) throws(ClusterError) -> ServerUser {
        var status = stat()
        let owner = lstat(path, &status) == 0 ? status.st_uid : nil
        if geteuid() != 0 {
            if let owner, owner != geteuid() { throw .ownedByAnother(path: path, user: name(of: owner)) }
            return ServerUser(userID: geteuid(), groupID: getegid(), name: name(of: geteuid()))
        }
        if let owner, owner != 0 {
            return ServerUser(userID: owner, groupID: status.st_gid, name: name(of: owner))
        }
        guard let entry = getpwnam("postgres") else { throw .userMissing }
        return ServerUser(userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid, name: "postgres")
    }

    /// The command line that runs `command` as this user. `setpriv` (util-linux, essential in Debian) replaces itself with the
    /// program, so the process ID stays the program's.
    func command(_ command: [String]) -> [String] {
        guard isAnother else { return command }
        return [Self.setpriv, "--reuid=\(userID)", "--regid=\(groupID)", "--clear-groups", "--"] + command
    }

    /// The first directory on the way to `path` that this user may not pass, or nil.
    func obstacle(to path: String) -> String? {
        guard isAnother else { return nil }
        var directory = ""
        for component in path.split(separator: "/").dropLast() {
            directory += "/\(component)"
            var status = stat()
            guard stat(directory, &status) == 0 else { return directory }
            let bit: mode_t =
                status.st_uid == userID ? S_IXUSR : status.st_gid == groupID ? S_IXGRP : S_IXOTH
            if status.st_mode & bit == 0 { return directory }
        }
        return nil
    }

    private static func name(of userID: uid_t) -> String {
        getpwuid(userID).map { String(cString: $0.pointee.pw_name) } ?? "\(userID)"
    }
}
