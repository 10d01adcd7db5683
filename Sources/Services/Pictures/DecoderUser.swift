import EventLoop
import Glibc

/// The user that decoders run as: this process's own, or nobody when this process is root.
struct DecoderUser: Sendable {
    let userID: uid_t
    let groupID: gid_t
    var isAnother: Bool { geteuid() != userID }

    static var current: DecoderUser {
        guard geteuid() == 0, let nobody = getpwnam("nobody") else {
            return DecoderUser(userID: geteuid(), groupID: getegid())
        }
        return DecoderUser(userID: nobody.pointee.pw_uid, groupID: nobody.pointee.pw_gid)
    }
}

extension Pictures {
    /// How decoders are kept from everything else on this machine, for `doctor` and the log.
    public struct DecoderIsolation: Sendable, CustomStringConvertible {
        /// Decoders run as a user of their own.
        public let hasOwnUser: Bool
        /// What the kernel has.
        public let support: Confinement.Support

        /// The server's files are closed to a decoder, and so are the network and other processes.
        public var isWhole: Bool { support.hasSeccomp && (hasOwnUser || support.landlock > 0) }

        /// One plain fact, and what to do.
        public var description: String {
            let user = hasOwnUser ? "as user nobody" : "as the server's user"
            let advice =
                isWhole
                ? ""
                : "; a decoder that a picture takes over could read the server's files: use a kernel with Landlock (5.13 or newer)"
                    + " and seccomp, and let the container's or unit's filter pass landlock_create_ruleset,"
                    + " landlock_add_rule and landlock_restrict_self"
            return "decoders run \(user), \(support)\(advice)"
        }
    }

    /// This machine's.
    public static var decoderIsolation: DecoderIsolation {
        DecoderIsolation(hasOwnUser: DecoderUser.current.isAnother, support: .current)
    }
}
