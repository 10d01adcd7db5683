import Foundation
import TestSupport

/// axe-core, an accessibility checker that is not ours: of the Python environment of the tests (`deploy/test-python`).
enum Axe {
    /// Text of the script.
    static let source = Result { () throws -> String in
        let packages = TestServer.root.appendingPathComponent(".build/test-python/lib")
        let versions = try FileManager.default.contentsOfDirectory(at: packages, includingPropertiesForKeys: nil)
        let files = versions.map { $0.appendingPathComponent("site-packages/axe_playwright_python/axe.min.js") }
        guard let file = files.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
            throw NeverHappened(what: "axe-core in \(packages.path): run deploy/test-python", limit: .zero)
        }
        return try String(contentsOf: file, encoding: .utf8)
    }
}

extension Browser {
    /// What axe-core finds on the page as it is shown: the rule and the element of each finding.
    func axeFindings() async throws -> [String] {
        if try await script("return typeof window.axe === 'undefined'") {
            try await script("\(try Axe.source.get())\nwindow.axe = axe; return true")
        }
        return try await script(
            """
            const { violations } = await axe.run(document, { resultTypes: ["violations"] });
            return violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`));
            """, as: [String].self)
    }
}
