import Glibc

/// Who decoders run as: oneself, or nobody when oneself is root. Never with more privileges than at the start.
struct DecoderUser: Sendable {
    static let choom = "/usr/bin/choom"
    static let nice = "/usr/bin/nice"
    static let setpriv = "/usr/bin/setpriv"

    let userID: uid_t
    let groupID: gid_t
    var isAnother: Bool { geteuid() != userID }

    static var current: DecoderUser {
        guard geteuid() == 0, let nobody = getpwnam("nobody") else {
            return DecoderUser(userID: geteuid(), groupID: getegid())
        }
        return DecoderUser(userID: nobody.pointee.pw_uid, groupID: nobody.pointee.pw_gid)
    }

    /// The command, run as this user, behind everything else that runs here, and the first to go when memory is short. Each of
    /// these (util-linux, coreutils) becomes the next, so the process that was started is the program.
    func command(_ command: [String]) -> [String] {
        var privileges = [Self.setpriv, "--no-new-privs"]
        if isAnother {
            privileges += [
                "--reuid=\(userID)", "--regid=\(groupID)", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all",
            ]
        }
        return [Self.choom, "-n", "1000", "--", Self.nice, "-n", "10"] + privileges + ["--"] + command
    }
}
