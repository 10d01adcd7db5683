/// A mail address that needs no quoting in a command or a field: an ASCII dot-string (RFC 5321 §4.1.2) and a domain.
///
/// Quoted local parts and bracketed addresses are rejected, because two mail servers could read them differently.
public struct MailAddress: Sendable, Equatable, Hashable, CustomStringConvertible {
    /// RFC 5321 §4.5.3.1.3, less the angle brackets.
    public static let bytesMax = 254
    /// RFC 5321 §4.5.3.1.1.
    static let localBytesMax = 64

    /// The address as given.
    public let description: String
    /// The part after the `@`.
    let domain: String

    /// - Parameter text: An address such as `anna@example.org`. Anything else gives nil.
    public init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= Self.bytesMax, (1...Self.localBytesMax).contains(parts[0].utf8.count)
        else { return nil }
        let atoms = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard atoms.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isAtomByte) }) else { return nil }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy(Self.isLabel) else { return nil }
        description = text
        domain = String(parts[1])
    }

    /// Whether a byte is an `atext` character (RFC 5322 §3.2.3).
    private static func isAtomByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
        }
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}
