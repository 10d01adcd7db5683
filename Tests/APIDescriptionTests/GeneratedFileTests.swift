import APIDescription
import Foundation
import TestSupport
import Testing

/// `CAMPANILE_WRITE_VECTORS=1 swift test --filter GeneratedFileTests` writes the files anew.
@Suite("The generated files of the web app are current")
struct GeneratedFileTests {
    @Test("registry.js, its values and its types are what the registry yields")
    func current() throws {
        let folder = TestServer.root.appendingPathComponent("Sources/WebApp/client")
        let files = [
            ("registry.js", RegistryModule.text), ("registryvalues.js", RegistryModule.valuesText),
            ("registrytypes.d.ts", TypesModule.text),
        ]
        for (name, text) in files {
            let file = folder.appendingPathComponent(name)
            if ProcessInfo.processInfo.environment["CAMPANILE_WRITE_VECTORS"] != nil {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            } else {
                let found = try String(contentsOf: file, encoding: .utf8)
                #expect(
                    found == text,
                    "\(name) is not what the registry yields: CAMPANILE_WRITE_VECTORS=1 swift test --filter GeneratedFileTests"
                )
            }
        }
    }
}
