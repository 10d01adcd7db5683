import COpenSSL
import EventLoop
import Metrics
import Wire

/// Password hashing by scrypt (RFC 7914), on workers with bounded concurrency (W-7).
///
/// Stored as `$scrypt$ln=15,r=8,p=3$salt$hash` (PHC string format), so that the cost can be raised later.
public struct Passwords: Sendable {
    /// scrypt's cost parameters. N is 2^`logN`; memory is 128·N·r bytes, 32 MiB by default.
    public struct Cost: Sendable, Equatable {
        /// Binary logarithm of the number of iterations N.
        public var logN: UInt64
        /// Block size.
        public var r: UInt64
        /// Parallelisation parameter; computed sequentially here.
        public var p: UInt64
        /// Recommendation of OWASP's password storage cheat sheet, 2023: N = 2^15, r = 8, p = 3.
        public static let standard = Cost(logN: 15, r: 8, p: 3)
        /// Cost for simulated accounts, which register in large numbers: their passwords are random and protect no personal data.
        public static let simulated = Cost(logN: 10, r: 8, p: 1)
        public init(logN: UInt64, r: UInt64, p: UInt64) {
            self.logN = logN
            self.r = r
            self.p = p
        }
        /// Largest memory that a stored hash may require, so that a corrupt row cannot exhaust the machine.
        static let memoryBytesMax: UInt64 = 256 * 1_048_576
        var isAllowed: Bool {
            (1...22).contains(logN) && (1...32).contains(r) && (1...16).contains(p)
                && 128 * (1 << logN) * r <= Self.memoryBytesMax
        }
    }

    /// Largest number of concurrent hashes; each uses a core and 32 MiB for about a quarter of a second.
    public static let concurrentMax = 2
    /// Largest number of waiting hashes; the server answers further sign-ins with `rateLimited`.
    public static let waitingMax = 256
    static let saltBytes = 16
    static let hashBytes = 32

    let cost: Cost
    let pool: WorkerPool
    /// Number of computed hashes.
    public let computed = Counter()
    /// Hash that is verified when the account does not exist, so that an unknown address takes as long as a wrong password.
    private let decoy: String

    /// - Parameters:
    ///   - cost: Cost of new hashes.
    ///   - pool: Workers that compute the hashes.
    public init(
        cost: Cost = .standard,
        pool: WorkerPool = WorkerPool(label: "passwords", concurrentMax: concurrentMax, waitingMax: waitingMax)
    ) {
        self.cost = cost
        self.pool = pool
        let hash = Secrets.base64URL([UInt8](repeating: 0, count: Self.hashBytes))
        let salt = Secrets.base64URL([UInt8](repeating: 0, count: Self.saltBytes))
        decoy = "$scrypt$ln=\(cost.logN),r=\(cost.r),p=\(cost.p)$\(salt)$\(hash)"
    }

    /// Hashes a new password.
    /// - Parameter cost: Replaces the default cost.
    /// - Throws: `WorkerPool.Overloaded`.
    public func hash(_ password: String, cost: Cost? = nil) async throws -> String {
        let cost = cost ?? self.cost
        computed.add()
        return try await pool.run {
            let salt = Secrets.randomBytes(Self.saltBytes)
            let hash = try Self.derive(password, salt: salt, cost: cost)
            return
                "$scrypt$ln=\(cost.logN),r=\(cost.r),p=\(cost.p)$\(Secrets.base64URL(salt))$\(Secrets.base64URL(hash))"
        }
    }

    /// Whether `password` matches the hash `stored`; nil stands for an account that does not exist, and takes as long.
    /// - Throws: `WorkerPool.Overloaded`.
    public func verify(_ password: String, against stored: String?) async throws -> Bool {
        let text = stored ?? decoy
        computed.add()
        let matches = try await pool.run { try Self.matches(password, text) }
        return matches && stored != nil
    }

    private static func matches(_ password: String, _ stored: String) throws -> Bool {
        let parts = stored.split(separator: "$", omittingEmptySubsequences: true)
        guard parts.count == 4, parts[0] == "scrypt", let cost = Cost(parts[1]), cost.isAllowed,
            let salt = Secrets.decodeBase64(parts[2]), let hash = Secrets.decodeBase64(parts[3])
        else { throw RPCError(.internalError, "a stored password hash cannot be read: reset the password") }
        return Secrets.areEqual(try derive(password, salt: salt, cost: cost), hash)
    }

    private static func derive(_ password: String, salt: [UInt8], cost: Cost) throws -> [UInt8] {
        var key = [UInt8](repeating: 0, count: hashBytes)
        let bytes = password.utf8.map { CChar(bitPattern: $0) }
        let status = EVP_PBE_scrypt(
            bytes, bytes.count, salt, salt.count, 1 << cost.logN, cost.r, cost.p, Cost.memoryBytesMax + 1_048_576, &key,
            key.count)
        guard status == 1 else { throw RPCError(.internalError, "the password could not be hashed") }
        return key
    }
}

extension Passwords.Cost {
    fileprivate init?(_ text: Substring) {
        var values: [Substring: UInt64] = [:]
        for pair in text.split(separator: ",") {
            let sides = pair.split(separator: "=")
            guard sides.count == 2, let value = UInt64(sides[1]) else { return nil }
            values[sides[0]] = value
        }
        guard let logN = values["ln"], let r = values["r"], let p = values["p"] else { return nil }
        self.init(logN: logN, r: r, p: p)
    }
}
