import EventLoop
import Glibc

/// The system user that decoders run as: `nobody` if this process is root, otherwise this process's own user.
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
    /// Isolation of decoders on this machine, for `doctor` and the log.
    public struct DecoderIsolation: Sendable, CustomStringConvertible {
        /// Whether decoders run as a user other than the server's.
        public let hasOwnUser: Bool
        /// Confinement features of the kernel.
        public let support: Confinement.Support

        /// Whether a decoder can access neither the server's files nor the network nor other processes.
        public var isWhole: Bool { support.hasSeccomp && (hasOwnUser || support.landlock > 0) }

        /// Description of the isolation, with advice if it is incomplete.
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

    /// Isolation of decoders on this machine.
    public static var decoderIsolation: DecoderIsolation {
        DecoderIsolation(hasOwnUser: DecoderUser.current.isAnother, support: .current)
    }
}
