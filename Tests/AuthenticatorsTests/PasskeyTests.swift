import TestSupport
import Testing

@testable import Authenticators

@Suite("Passkeys")
struct PasskeyTests {
    private static let site = RelyingParty(publicURL: nil)

    private static func register(
        _ device: SoftwareAuthenticator, at site: RelyingParty = site
    ) throws -> (passkey: PasskeyPublicKey, state: PasskeyPublicKey.State) {
        let answer = device.register("challenge")
        let client = try PasskeyClientData(
            SoftwareAuthenticator.bytes(answer.clientDataJSON), for: .registration, at: site)
        #expect(client.challenge == "challenge")
        return try PasskeyPublicKey.register(SoftwareAuthenticator.bytes(answer.authenticatorData), client, at: site)
    }

    private static func signIn(_ device: SoftwareAuthenticator, _ passkey: PasskeyPublicKey) throws
        -> PasskeyPublicKey.State
    {
        let answer = device.sign("challenge")
        let client = try PasskeyClientData(SoftwareAuthenticator.bytes(answer.clientDataJSON), for: .signIn, at: site)
        return try passkey.verify(
            SoftwareAuthenticator.bytes(answer.signature),
            of: SoftwareAuthenticator.bytes(answer.authenticatorData), client, at: site)
    }

    @Test("A passkey of each algorithm signs in", arguments: SoftwareAuthenticator.Algorithm.allCases)
    func algorithms(_ algorithm: SoftwareAuthenticator.Algorithm) throws {
        var device = SoftwareAuthenticator(algorithm)
        let made = try Self.register(device)
        #expect(made.passkey.id == device.id && made.state == .init(counter: 1, isBackedUp: false))
        device.counter = 0x0102_0304
        #expect(try Self.signIn(device, made.passkey).counter == 0x0102_0304)
        // Another key, for the same id.
        #expect(throws: PasskeyFault.wrongSignature) {
            _ = try Self.signIn(SoftwareAuthenticator(algorithm, id: device.id), made.passkey)
        }
    }

    @Test("Each thing that a browser or an authenticator says wrongly is refused by its own fault")
    func faults() throws {
        let device = SoftwareAuthenticator()
        let passkey = try Self.register(device).passkey
        let wrongs: [(PasskeyFault, (inout SoftwareAuthenticator) -> Void)] = [
            (.otherSite, { $0.origin = "https://localhost.evil.example" }),
            (.otherSite, { $0.origin = "http://localhost:8080/x" }),
            (.otherSite, { $0.origin = "null" }),
            (.otherSite, { $0.site = "evil.example" }),
            (.otherSite, { $0.moreClientData = #","crossOrigin":true"# }),
            (.otherSite, { $0.moreClientData = #","topOrigin":"https://evil.example""# }),
            (.otherOperation, { $0.type = "payment.get" }),
            (.notPresent, { $0.flags = 0x04 }),
            (.notVerified, { $0.flags = 0x01 }),
            (.wrongBackupState, { $0.flags = 0x15 }),
            (.malformed, { $0.moreClientData = "," }),
        ]
        for (fault, change) in wrongs {
            var changed = device
            change(&changed)
            #expect(throws: fault) { _ = try Self.signIn(changed, passkey) }
            #expect(throws: fault) { _ = try Self.register(changed) }
        }
        var synced = device
        synced.flags = 0x1D
        #expect(throws: PasskeyFault.wrongBackupState) { _ = try Self.signIn(synced, passkey) }
        #expect(try Self.register(synced).state.isBackedUp)
        for type in ["webauthn.create", "webauthn.get"] {
            var other = device
            other.type = type
            #expect(throws: PasskeyFault.otherOperation) {
                _ = type == "webauthn.get" ? try Self.register(other).state : try Self.signIn(other, passkey)
            }
        }
    }

    @Test("Bytes that are cut anywhere, and keys of other algorithms, are refused")
    func malformed() throws {
        let device = SoftwareAuthenticator()
        let answer = device.register("challenge")
        let data = SoftwareAuthenticator.bytes(answer.authenticatorData)
        let json = SoftwareAuthenticator.bytes(answer.clientDataJSON)
        let client = try PasskeyClientData(json, for: .registration, at: Self.site)
        for count in 0..<data.count {
            #expect(throws: PasskeyFault.self) {
                _ = try PasskeyPublicKey.register(Array(data[0..<count]), client, at: Self.site)
            }
        }
        for count in 0..<json.count {
            #expect(throws: PasskeyFault.malformed) {
                _ = try PasskeyClientData(Array(json[0..<count]), for: .registration, at: Self.site)
            }
        }
        var other = data
        // ES384 instead of ES256.
        other[37 + 16 + 2 + 16 + 4] = 0x38
        #expect(throws: PasskeyFault.unknownAlgorithm) {
            _ = try PasskeyPublicKey.register(other, client, at: Self.site)
        }
        // A map of two thousand million members: libcbor would allocate 32 GB for it.
        other = Array(data[0..<(37 + 16 + 2 + 16)]) + [0xBA, 0x7F, 0xFF, 0xFF, 0xFF, 0x01, 0x02]
        #expect(throws: PasskeyFault.malformed) {
            _ = try PasskeyPublicKey.register(other, client, at: Self.site)
        }
        // A point that is not on the curve.
        other = data
        other[data.count - 1] ^= 1
        #expect(throws: PasskeyFault.self) { _ = try PasskeyPublicKey.register(other, client, at: Self.site) }
    }

    @Test("Strings, arrays and maps that declare more than there is are found before a library allocates for them")
    func declaredSizes() {
        for (bytes, fits) in [
            ([0xA1, 0x01, 0x02], true), ([0xA2, 0x01, 0x02], false),
            ([0xBB] + [UInt8](repeating: 0xFF, count: 8), false),
            ([0x82, 0x01, 0x02], true), ([0x82, 0x01], false), ([0x9A, 0x7F, 0xFF, 0xFF, 0xFF, 0x00], false),
            ([0x42, 0x01, 0x02], true), ([0x42, 0x01], false), ([0x5B] + [UInt8](repeating: 0xFF, count: 8), false),
            ([0x9F, 0x01, 0xFF], true), ([0x1C], false), ([0x19, 0x01], false), ([], true),
        ] as [([UInt8], Bool)] {
            #expect(BoundedCBOR.fits(bytes[...]) == fits, "\(bytes)")
        }
    }

    @Test("Passkeys belong to the domain and the origin of the public URL, and else to localhost")
    func sites() {
        let campus = RelyingParty(publicURL: "https://Campus.example:443/hub")
        #expect(campus.id == "campus.example" && campus.origin == "https://campus.example")
        #expect(campus.admits("https://campus.example") && !campus.admits("https://campus.example:8443"))
        #expect(!campus.admits("http://campus.example") && !campus.admits("https://a.campus.example"))
        #expect(RelyingParty(publicURL: "http://localhost:8080").origin == "http://localhost:8080")
        for (origin, isAdmitted) in [
            ("http://localhost", true), ("https://localhost:8443", true), ("http://localhost:", false),
            ("http://localhost:99999", false), ("http://localhostx", false), ("http://127.0.0.1", false),
        ] {
            #expect(Self.site.admits(origin) == isAdmitted, "\(origin)")
        }
    }
}
