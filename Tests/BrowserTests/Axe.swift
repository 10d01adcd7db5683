import Foundation
import TestSupport
import Testing

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
    /// The rules whose outcome depends on the theme, besides the stricter contrast of WCAG's level AAA.
    static let axeColorRules = #"["color-contrast", "link-in-text-block"]"#

    /// What axe-core finds on the page as it is shown: the rule and the element of each finding.
    /// - Parameter rules: Checks only these, as a list in JSON.
    func axeFindings(of rules: String? = nil) async throws -> [String] {
        if try await script("return typeof window.axe === 'undefined'") {
            try await script("\(try Axe.source.get())\nwindow.axe = axe; return true")
        }
        return try await script(
            """
            const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false\(rules.map { ", runOnly: \($0)" } ?? "") });
            return violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`));
            """, as: [String].self)
    }

    /// Expects that axe-core finds nothing on the page as it is shown, in both themes, on a phone and a desktop; saves it so.
    /// - Parameter css: What the pictures show; nil for where the page is scrolled to.
    func expectAccessible(
        _ name: String, at css: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (size, screen) in [("phone", Screen.phone), ("desktop", .desktop)] {
            try await setScreen(screen)
            if let css {
                try await script("document.querySelector('\(css)').scrollIntoView(); return true")
            }
            try await expectAccessibleInThemes("\(name)-\(size)", sourceLocation: sourceLocation)
        }
        try await setScreen(nil)
    }

    /// Expects that axe-core finds nothing on the page as it is shown, in both themes, and saves it so: all rules in the light, in the dark
    /// those whose outcome can differ there.
    func expectAccessibleInThemes(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for isDark in [false, true] {
            try await setDark(isDark)
            let theme = isDark ? "dark" : "light"
            #expect(
                try await axeFindings(of: isDark ? Self.axeColorRules : nil) == [], "\(name) \(theme)",
                sourceLocation: sourceLocation)
            try await screenshot("\(name)-\(theme)")
        }
        try await setDark(false)
    }
}
