import Foundation
import TestSupport
import Testing

/// `CAMPANILE_WRITE_VECTORS=1 swift test --filter MethodReferenceTests` writes the article's tables anew.
@Suite("The MethodReference article has the types of the code")
struct MethodReferenceTests {
    private static let begin = "<!-- begin: written by MethodReferenceTests -->\n"
    private static let end = "<!-- end -->"

    @Test(
        "Each parameter and each result has the type, the range and the optionality that the server decodes and encodes"
    )
    func tables() throws {
        let file = TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc/MethodReference.md")
        let tables = try MethodReference(ProtocolArticle()).tables
        let text = try String(contentsOf: file, encoding: .utf8)
        let from = try #require(text.range(of: Self.begin)).upperBound
        let to = try #require(text.range(of: Self.end)).lowerBound
        if ProcessInfo.processInfo.environment["CAMPANILE_WRITE_VECTORS"] != nil {
            try (text[..<from] + tables + text[to...]).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(
                text[from..<to] == tables,
                "MethodReference.md is not what the code has: CAMPANILE_WRITE_VECTORS=1 swift test --filter MethodReferenceTests"
            )
        }
    }
}
