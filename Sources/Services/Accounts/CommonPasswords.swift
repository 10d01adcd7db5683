import CZlib
import Foundation

/// A list of common and breached passwords, which nobody may choose. It holds a hash of 64 bits for each, so that a list of ten million
/// takes 80 MB; a password that is not listed is refused with a probability of 2⁻⁶⁴ for each entry.
public struct CommonPasswords: Sendable {
    /// Largest number of passwords of a list.
    public static let countMax = 10_000_000
    /// Largest number of bytes of a line. A longer one is skipped: no password is that long.
    static let lineBytesMax = 512
    /// The list that Debian's package python3-django has: 20,000 passwords.
    public static let packagedPath = "/usr/lib/python3/dist-packages/django/contrib/auth/common-passwords.txt.gz"

    /// Why a file is no such list.
    public enum Invalid: Error, Equatable, CustomStringConvertible {
        case unreadable(String)
        case empty(String)
        case tooLong(String)

        public var description: String {
            switch self {
            case .unreadable(let path): "\(path) cannot be read: check the path and its permissions"
            case .empty(let path): "\(path) contains no password: it must have one password a line"
            case .tooLong(let path): "\(path) has more than \(CommonPasswords.countMax) passwords: shorten it"
            }
        }
    }

    /// Ascending, without duplicates.
    private let hashes: [UInt64]

    /// Number of different passwords, ignoring case.
    public var count: Int { hashes.count }

    /// - Parameter passwords: Upper and lower case are equal.
    public init(_ passwords: some Sequence<String>) {
        hashes = Self.sorted(passwords.map { Self.hash($0) })
    }

    /// Reads a file of UTF-8 text with a password on each line, plain or compressed by gzip. Blocks; for the start of a program.
    /// - Throws: ``Invalid``.
    public init(path: String) throws(Invalid) {
        guard let file = gzopen(path, "rb") else { throw .unreadable(path) }
        defer { gzclose(file) }
        var buffer = [CChar](repeating: 0, count: Self.lineBytesMax)
        var found: [UInt64] = []
        var isContinued = false
        while gzgets(file, &buffer, CInt(buffer.count)) != nil {
            let line = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let isStart = !isContinued
            isContinued = line.last != UInt8(ascii: "\n") && gzeof(file) == 0
            guard isStart, !isContinued, let text = String(validating: line, as: UTF8.self) else { continue }
            let password = text.trimmingCharacters(in: .newlines)
            guard !password.isEmpty else { continue }
            guard found.count < Self.countMax else { throw .tooLong(path) }
            found.append(Self.hash(password))
        }
        var status: CInt = 0
        _ = gzerror(file, &status)
        guard status == Z_OK || status == Z_STREAM_END else { throw .unreadable(path) }
        guard !found.isEmpty else { throw .empty(path) }
        hashes = Self.sorted(found)
    }

    /// Whether the list has the password, ignoring case. O(log n).
    public func contains(_ password: String) -> Bool {
        let hash = Self.hash(password)
        var (low, high) = (0, hashes.count)
        while low < high {
            let middle = low + (high - low) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low < hashes.count && hashes[low] == hash
    }

    /// The first 64 bits of a SHA-256, for which nobody can make collisions.
    private static func hash(_ password: String) -> UInt64 {
        Secrets.hash(password.lowercased()).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func sorted(_ hashes: [UInt64]) -> [UInt64] {
        var sorted = hashes.sorted()
        var kept = 0
        for index in sorted.indices where index == 0 || sorted[index] != sorted[kept - 1] {
            sorted[kept] = sorted[index]
            kept += 1
        }
        sorted.removeLast(sorted.count - kept)
        return sorted
    }
}
