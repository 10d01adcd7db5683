import EventLoop
import Foundation
import TestSupport
import Testing
import Wire

@testable import Delivery

@Suite("Web Push: encryption, tokens, and where it may go")
struct PushTests {
    private static func bytes(_ base64url: String) -> [UInt8] {
        var text = base64url.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        return Array(Data(base64Encoded: text) ?? Data())
    }

    /// RFC 5915, around a private key and its public one.
    private static func key(_ secret: String, _ point: String) throws -> PushKey {
        let head: [UInt8] = [0x30, 0x77, 0x02, 0x01, 0x01, 0x04, 0x20]
        let curve: [UInt8] = [
            0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0xA1, 0x44, 0x03, 0x42, 0x00,
        ]
        return try PushKey(der: head + bytes(secret) + curve + bytes(point))
    }

    @Test("The example of RFC 8291 §5 is encrypted to the bytes that it has there")
    func example() throws {
        let server = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        let key = try Self.key("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", server)
        #expect(key.publicKey == Self.bytes(server))
        let body = try PushEncryption.encrypt(
            Array("When I grow up, I want to be a watermelon".utf8),
            for: Self.bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            secret: Self.bytes("BTBZMqHH6r4Tts7J_aSIgg"), key: key, salt: Self.bytes("DGv6ra1nlYgDCS1FRnbzlw"),
            paddedTo: 0)
        #expect(
            Base64.urlSafe(body)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
    }

    @Test(
        "Messages of different lengths are equally long when they are sent, and never longer than a push service takes")
    func padding() throws {
        let browser = try PushKey.make()
        let secret = [UInt8](repeating: 7, count: 16)
        func length(_ count: Int) throws -> Int {
            try PushEncryption.encrypt([UInt8](repeating: 65, count: count), for: browser.publicKey, secret: secret)
                .count
        }
        #expect(try length(1) == length(900))
        #expect(try length(PushEncryption.plaintextBytesMax) == 4_096)
        #expect(throws: PushEncryption.Failed.self) { try length(PushEncryption.plaintextBytesMax + 1) }
    }

    @Test("What is no point of the curve is no browser's key")
    func points() throws {
        let point = try PushKey.make().publicKey
        #expect(PushKey.isPublicKey(point))
        #expect(!PushKey.isPublicKey([4] + [UInt8](repeating: 1, count: 64)))
        #expect(!PushKey.isPublicKey(Array(point.dropLast())))
        #expect(!PushKey.isPublicKey([]))
    }

    @Test("A server's key survives being kept")
    func kept() throws {
        let key = try PushKey.make()
        #expect(try PushKey(der: key.der).publicKey == key.publicKey)
        #expect(throws: PushKey.Failed.self) { try PushKey(der: [1, 2, 3]) }
        #expect(throws: PushKey.Failed.self) { try PushKey(pem: Array("none".utf8)) }
    }

    @Test(
        "A browser's address that leads inside, or could be read in two ways, is refused",
        arguments: [
            "http://push.example.com/x", "https://127.0.0.1/x", "https://localhost/x", "https://10.0.0.8/x",
            "https://[::1]/x", "https://[::ffff:127.0.0.1]/x", "https://2130706433/x", "https://0x7f000001/x",
            "https://127.1/x", "https://0177.0.0.1/x", "https://push/x", "https://db.internal/x", "https://a.local/x",
            "https://push.example.com:8443/x", "https://push.example.com:0/x", "https://user@push.example.com/x",
            "https://push.example.com\\@10.0.0.1/x", "https://push.example.com#@10.0.0.1/x", "https://push.example.com",
            "https://push.example.com/a b", "https://push.example.com/a\r\nHost: b", "https://router.lan/x",
            "https://push.example.com./x", "https://-a.example.com/x", "ftp://push.example.com/x", "https:///x", "",
            "https://1.0.0.127.in-addr.arpa/x", "https://push.example.com/" + String(repeating: "a", count: 1_024),
        ])
    func refusedEndpoints(_ url: String) {
        #expect(throws: PushEndpoint.Invalid.self) { try PushEndpoint(url) }
    }

    @Test("Push services' addresses are taken, and the operator's own")
    func endpoints() throws {
        let known = try PushEndpoint("https://updates.push.services.mozilla.com/wpush/v2/gAAAAA-_x?a=b%20c")
        #expect(known.origin == "https://updates.push.services.mozilla.com")
        #expect(try PushEndpoint("https://fcm.googleapis.com:443/fcm/send/a:b").origin == "https://fcm.googleapis.com")
        let own = try PushEndpoint("https://localhost:9999/x", allowedHosts: ["localhost"])
        #expect(own.origin == "https://localhost:9999")
    }

    @Test(
        "Addresses that are not the Internet's are not spoken to",
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1",
            "172.31.255.255", "192.168.1.1", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1",
            "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "fe80::1", "fc00::1", "fd12::1",
            "ff02::1",
            "64:ff9b::a00:1", "2001:db8::1", "2002:a00:1::1", "2001::1", "::127.0.0.1",
        ])
    func inside(_ text: String) throws {
        #expect(!PublicAddress.isPublic(try #require(IPAddress(text))))
    }

    @Test(
        "Those of the Internet are",
        arguments: ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])
    func outside(_ text: String) throws {
        #expect(PublicAddress.isPublic(try #require(IPAddress(text))))
    }

    @Test(
        "A name that leads inside is not spoken to, whatever it meant when it was looked at: asked at each connection")
    func rebinding() async throws {
        let certificate = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        let server = try await TestPython.start("push", [certificate.certificateFile, certificate.keyFile])
        var request = HTTPPost(url: "https://localhost:\(server.port)/one", headers: [], body: [1])
        request.authorityFile = certificate.certificateFile
        request.mayConnect = { PublicAddress.isPublic($0) }
        let idle = ConnectionPool(countMax: 1)
        #expect(try request.perform(idle) == .forbiddenAddress)
        #expect(server.said("bad").isEmpty)
        request.mayConnect = nil
        #expect(try request.perform(idle) == .answered(201, retryAfter: nil))
        _ = try await eventually("it was spoken to") { server.said("bad").count == 1 ? true : nil }
    }
}
