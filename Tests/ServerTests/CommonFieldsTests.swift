import Foundation
import Synchronization
import TestSupport
import Testing
import WebSocket

@testable import Server

@Suite("The fields of every answer")
struct CommonFieldsTests {
    @Test("They are made once a second, and Strict-Transport-Security is for TLS only (RFC 6797 §7.2)")
    func fields() {
        let clock = Mutex<Int64>(784_111_777)
        let fields = CommonFields(tileOrigin: "https://tile.example") { clock.withLock { $0 } }
        let plain = String(decoding: fields.lines(isSecure: false), as: UTF8.self)
        let secure = String(decoding: fields.lines(isSecure: true), as: UTF8.self)
        #expect(plain.contains("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
        #expect(plain.contains("img-src 'self' data: blob: https://tile.example;") && !plain.contains("unsafe"))
        #expect(!plain.contains("Strict-Transport-Security"))
        #expect(secure == plain + "Strict-Transport-Security: max-age=31536000\r\n")
        // The same bytes within the second, not equal ones: nothing was made anew.
        let (a, b) = (fields.lines(isSecure: false), fields.lines(isSecure: false))
        #expect(a.withUnsafeBytes { $0.baseAddress } == b.withUnsafeBytes { $0.baseAddress })
        clock.withLock { $0 += 1 }
        #expect(String(decoding: fields.lines(isSecure: false), as: UTF8.self).contains("08:49:38 GMT"))
    }

    @Test(
        "Files of the bundle have no policies, which browsers would ignore and each visit would carry a hundred times")
    func files() throws {
        let fields = CommonFields(tileOrigin: nil) { 784_111_777 }
        let lines = String(decoding: fields.lines(isSecure: true, hasPolicies: false), as: UTF8.self)
        #expect(
            lines == """
                X-Content-Type-Options: nosniff\r
                Cross-Origin-Resource-Policy: same-origin\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Strict-Transport-Security: max-age=31536000\r\n
                """)
        let webApp = URL(fileURLWithPath: try TestDirectory.make("bundle"))
        let sources = TestServer.root.appendingPathComponent("Sources/WebApp")
        try FileManager.default.createDirectory(
            at: webApp.appendingPathComponent("bundle"), withIntermediateDirectories: true)
        for (name, copy) in [
            ("index.html", "index.html"), ("routes.json", "routes.json"), ("sw.js", "sw.js"), ("sw.js", "bundle/a.js"),
        ] {
            try FileManager.default.copyItem(
                at: sources.appendingPathComponent(name), to: webApp.appendingPathComponent(copy))
        }
        let resources = Resources(root: TestServer.root)
        let files = try StaticFiles(webApp: webApp, leaflet: resources.leaflet, charts: resources.charts)
        let request = HTTPRequest(method: "GET", target: "/", path: "/")
        for (path, needsPolicies) in [("/", true), ("/sw.js", true), ("/app/bundle/a.js", false)] {
            let response = try #require(files.file(at: path)).response(to: request, now: fields.date)
            #expect(response.needsPolicies == needsPolicies, "\(path)")
        }
    }

    @Test("Scripts and styles of the document are allowed by their digests, files by their origin, and nothing else")
    func inlineSources() {
        let document = """
            <head><style>p{}</style><script src="/a.js"></script><script data-x='["^/$"]'>let a = "<b>";</script>
            <script type="module" src="/b.js"></script></head>
            """
        let inline = InlineSources(document: document)
        // openssl dgst -sha256 -binary | base64
        #expect(inline.styles == ["'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='"])
        #expect(inline.scripts == ["'sha256-Yec60kKRbfUEVY+af2er7srYeGCy7INO1VppjnXhVdM='"])
        let lines = String(
            decoding: CommonFields(tileOrigin: nil, inline: inline).lines(isSecure: false), as: UTF8.self)
        #expect(lines.contains("; style-src 'self' \(inline.styles[0]); script-src 'self' \(inline.scripts[0]); "))
        #expect(InlineSources(document: "<script>").scripts.isEmpty && InlineSources(document: "<style").styles.isEmpty)
    }
}
