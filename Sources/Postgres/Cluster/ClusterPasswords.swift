import COpenSSL
import Glibc

/// Passwords of a private cluster's roles. They are necessary because every process of the cluster's user can reach the socket.
///
/// The file has libpq's format (PostgreSQL manual §34.16) and mode 0600, so `PGPASSFILE=… psql` works for an operator.
struct ClusterPasswords: Sendable {
    static let roles = ["postgres", PrivateCluster.ownerRole, PrivateCluster.applicationRole]
    static let fileBytesMax = 4_096
    /// Random bytes per password.
    static let passwordBytes = 32
    /// SCRAM iterations (RFC 5802). They make weak passwords costly to guess, but 256 random bits cannot be guessed. A server that
    /// opens many connections computes the iterations on its loop.
    static let iterations = 1

    /// Passwords by role.
    private let passwords: [String: String]

    subscript(role: String) -> String? { passwords[role] }

    /// Generates random passwords.
    static func random() -> ClusterPasswords {
        ClusterPasswords(
            passwords: Dictionary(
                uniqueKeysWithValues: roles.map { role in
                    var bytes = [UInt8](repeating: 0, count: passwordBytes)
                    let isDone = RAND_bytes(&bytes, Int32(bytes.count))
                    precondition(isDone == 1, "OpenSSL has no random numbers")
                    return (role, hexadecimal(bytes))
                }))
    }

    private init(passwords: [String: String]) { self.passwords = passwords }

    /// Reads a password file. Nil if it does not exist or lacks a role.
    init?(file: String) {
        guard let bytes = readFile(file, bytesMax: Self.fileBytesMax) else { return nil }
        var found: [String: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count == 5 { found[String(fields[3])] = String(fields[4]) }
        }
        guard Self.roles.allSatisfy({ found[$0]?.isEmpty == false }) else { return nil }
        passwords = found
    }

    /// Content of the password file.
    var text: String {
        Self.roles.map { "*:*:*:\($0):\(passwords[$0] ?? "")\n" }.joined()
    }

    /// PostgreSQL's stored form of a password (PostgreSQL manual §53.8), which keeps the password itself out of statements.
    func verifier(of role: String) -> String {
        var salt = [UInt8](repeating: 0, count: 16)
        let isDone = RAND_bytes(&salt, Int32(salt.count))
        precondition(isDone == 1, "OpenSSL has no random numbers")
        // The first and only iteration of PBKDF2.
        let salted = Self.mac(Array((passwords[role] ?? "").utf8), salt + [0, 0, 0, 1])
        let stored = SHA256.digest(Self.mac(salted, Array("Client Key".utf8)))
        let server = Self.mac(salted, Array("Server Key".utf8))
        return
            "SCRAM-SHA-256$\(Self.iterations):\(Self.base64(salt))$\(Self.base64(stored)):\(Self.base64(server))"
    }

    /// Creates the missing roles with their passwords.
    /// - Parameter isTrusting: Also sets the passwords of existing roles, which may have other ones or none.
    func give(_ connection: PostgresConnection, isTrusting: Bool) async throws {
        for role in Self.roles {
            let found = try await connection.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [.text(role)])
            guard found.isEmpty || isTrusting else { continue }
            let action = found.isEmpty ? "CREATE" : "ALTER"
            // Hexadecimal, base64 and punctuation that needs no escape.
            try await connection.script(
                "\(action) ROLE \(quotedIdentifier(role)) LOGIN PASSWORD '\(verifier(of: role))'")
        }
    }

    private static func mac(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let made = HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, &length)
        precondition(made != nil, "OpenSSL has no HMAC")
        return Array(digest.prefix(Int(length)))
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension ClusterLayout {
    /// Path of the password file.
    var passwords: String { "\(root)/pgpass" }
    /// Path of PostgreSQL's authentication rules (PostgreSQL manual §21.1).
    private var authentication: String { "\(data)/pg_hba.conf" }
    static let authenticationBytesMax = 65_536

    /// Whether the socket requires no password, as in clusters of releases before 0.2.
    var isTrusting: Bool { authenticationLines.contains { Self.isTrusting($0) } }

    private var authenticationLines: [Substring] {
        let bytes = readFile(authentication, bytesMax: Self.authenticationBytesMax) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func isTrusting(_ line: Substring) -> Bool {
        let words = line.split { $0 == " " || $0 == "\t" }
        return words.first?.hasPrefix("#") == false && words.contains("trust")
    }

    /// Reads the passwords, or creates them if there is no cluster yet or the cluster requires none.
    func readOrMakePasswords() throws(ClusterError) -> ClusterPasswords {
        if let found = ClusterPasswords(file: passwords) { return found }
        guard majorVersion() == nil || isTrusting else {
            throw .passwordsMissing(path: passwords, file: authentication)
        }
        let made = ClusterPasswords.random()
        try write(made.text, to: passwords)
        return made
    }

    /// Changes the authentication rules to require passwords. PostgreSQL applies them at its next reload.
    func requirePasswords() throws(ClusterError) {
        let lines = authenticationLines.map { line in
            Self.isTrusting(line) ? String(line).replacing("trust", with: "scram-sha-256") : String(line)
        }
        try write(lines.joined(separator: "\n"), to: authentication)
    }

    /// Writes a file of mode 0600 for the cluster's user, atomically.
    func write(_ text: String, to path: String) throws(ClusterError) {
        let temporary = "\(path).new"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw notWritten(temporary) }
        defer { close(file) }
        if user.isAnother { _ = fchown(file, user.userID, user.groupID) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, rename(temporary, path) == 0
        else { throw notWritten(temporary) }
    }

    private func notWritten(_ path: String) -> ClusterError {
        errno == ENOSPC ? .storageFull(path: root) : .notWritable(path: path, reason: String(cString: strerror(errno)))
    }
}
