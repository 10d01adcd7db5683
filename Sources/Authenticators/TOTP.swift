import COath
import COpenSSL

/// Codes of an authenticator app (TOTP, RFC 6238), by liboath: HMAC-SHA-1, six digits, a new one each 30 seconds.
public struct TOTP: Sendable, Equatable {
    /// Length of a secret: 160 bits (RFC 4226 §4).
    public static let secretBytes = 20
    public static let digits = 6
    /// Seconds for which a code is shown.
    public static let stepSeconds: Int64 = 30
    /// Steps before and after the present one whose codes are accepted, for slow people and clocks that differ.
    static let stepsAside: Int64 = 1

    public let secret: [UInt8]

    public init(secret: [UInt8]) { self.secret = secret }

    /// The step of a time in seconds since 1970.
    public static func step(at seconds: Int64) -> Int64 { seconds / stepSeconds }

    /// Returns the code of a step; nil if liboath cannot compute it.
    public func code(ofStep step: Int64) -> String? {
        guard step >= 0, step <= Int64.max / Self.stepSeconds else { return nil }
        var text = [CChar](repeating: 0, count: Self.digits + 1)
        let result = secret.withUnsafeBytes { bytes in
            oath_totp_generate(
                bytes.bindMemory(to: CChar.self).baseAddress, bytes.count, time_t(step * Self.stepSeconds),
                UInt32(Self.stepSeconds), 0, UInt32(Self.digits), &text)
        }
        guard result == OATH_OK.rawValue else { return nil }
        return String(decoding: text.prefix(Self.digits).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the step around a time whose code this is; nil if it is of none. Compares in constant time.
    public func step(of code: String, at seconds: Int64) -> Int64? {
        let (typed, present) = (Array(code.utf8), Self.step(at: seconds))
        guard typed.count == Self.digits else { return nil }
        var found: Int64?
        for step in (present - Self.stepsAside)...(present + Self.stepsAside) {
            guard let expected = self.code(ofStep: step).map({ Array($0.utf8) }) else { continue }
            if CRYPTO_memcmp(expected, typed, Self.digits) == 0 { found = step }
        }
        return found
    }

    /// The secret as people type it: base32 without padding.
    public var text: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (text, buffer, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in secret {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Address that an authenticator app reads from a QR code.
    /// - Parameter account: Letters, digits, and the characters `@`, `.`, `-`, `_` appear as they are; all others percent-encoded.
    public func address(of account: String) -> String {
        let name = account.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain || "@.-_".unicodeScalars.contains(scalar)
                ? String(scalar) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return "otpauth://totp/\(RelyingParty.name):\(name)?secret=\(text)&issuer=\(RelyingParty.name)"
    }
}
