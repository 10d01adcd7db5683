/// A mail address that can stand in a command and in a field as it is: letters, digits and what RFC 5321 §4.1.2 calls a dot-string,
/// in ASCII. Quoted local parts and addresses in brackets are left out: nothing that a mail server could read in two ways.
public struct MailAddress: Sendable, Equatable, Hashable, CustomStringConvertible {
    /// RFC 5321 §4.5.3.1.3, less the angle brackets.
    public static let bytesMax = 254
    /// RFC 5321 §4.5.3.1.1.
    static let localBytesMax = 64

    /// As it was given.
    public let description: String
    /// Behind the `@`.
    let domain: String

    /// - Parameter text: Such as `anna@example.org`; nil for anything else.
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

    /// RFC 5322 §3.2.3: atext.
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
