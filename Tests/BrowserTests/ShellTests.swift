import Foundation
import TestSupport
import Testing

@Suite("The web app's service worker")
struct ShellTests {
    @Test("It keeps every file of the app, so that all pages open without a network")
    func everyFile() throws {
        let app = TestServer.root.appending(path: "Sources/WebApp")
        let kept = try String(contentsOf: app.appending(path: "offline.js"), encoding: .utf8)
        let files = try FileManager.default.subpathsOfDirectory(atPath: app.path)
            .filter {
                ["js", "css", "svg"].contains(($0 as NSString).pathExtension) && !["sw.js", "offline.js"].contains($0)
            }
        // No page of the app loads these: they are for app developers and for the server's own pages.
        let others = files.filter {
            $0 == "campanile.js" || $0.hasPrefix("examples/") || $0.hasPrefix("shell/serverpage.")
        }
        #expect(files.count > 40)
        #expect(files.filter { !kept.contains("\"\($0)\"") } == others)
    }
}
