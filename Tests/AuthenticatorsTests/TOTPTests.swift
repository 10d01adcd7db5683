import Testing

@testable import Authenticators

@Suite("Codes of authenticator apps")
struct TOTPTests {
    private static let codes = TOTP(secret: Array("12345678901234567890".utf8))

    @Test(
        "The codes are those of RFC 6238, appendix B",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ])
    func vectors(_ seconds: Int64, _ code: String) {
        #expect(Self.codes.code(ofStep: TOTP.step(at: seconds)) == code)
        #expect(Self.codes.step(of: code, at: seconds) == TOTP.step(at: seconds))
    }

    @Test("A code is accepted one step before and after its own, and no further")
    func window() {
        let seconds: Int64 = 1_234_567_890
        let accepted = [-90, -60, -30, 0, 30, 60, 90].map { Self.codes.step(of: "005924", at: seconds + $0) != nil }
        #expect(accepted == [false, false, true, true, true, false, false])
    }

    @Test("Other texts are no codes")
    func malformed() {
        for text in ["", "00592", "0059240", "00592x", "００５９２４", "005 924"] {
            #expect(Self.codes.step(of: text, at: 1_234_567_890) == nil, "\(text)")
        }
        #expect(Self.codes.code(ofStep: -1) == nil && Self.codes.code(ofStep: .max) == nil)
    }

    @Test("The address for the QR code has the secret in base32, and no name breaks it")
    func address() {
        #expect(Self.codes.text == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        #expect(TOTP(secret: [0xFF]).text == "74")
        #expect(
            Self.codes.address(of: "ännä&x=1@example.org")
                == "otpauth://totp/Campanile:%C3%A4nn%C3%A4%26x%3D1@example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Campanile"
        )
    }

    @Test("The QR code is a square with its three finder patterns")
    func symbol() throws {
        let rows = try #require(QRSymbol(Self.codes.address(of: "anna@example.org"))).rows
        #expect(rows.count >= 21 && rows.allSatisfy { $0.count == rows.count })
        #expect(
            rows[0].hasPrefix("1111111") && rows[0].hasSuffix("1111111") && rows[rows.count - 1].hasPrefix("1111111"))
        #expect(QRSymbol(String(repeating: "x", count: 1_025)) == nil)
    }
}
