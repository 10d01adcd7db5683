import APIDescription
import Foundation
import TestSupport
import Testing

/// `CAMPANILE_WRITE_VECTORS=1 swift test --filter ArticleTests` writes the generated parts anew.
@Suite("The generated parts of the articles are current")
struct ArticleTests {
    @Test("The MethodReference article has every method, topic and type of the registry")
    func reference() throws { try check("MethodReference", [("reference", ReferenceTables.text + "\n")]) }

    @Test("The Protocol article has the ranges, rate limits, error codes and close codes of the registry")
    func tables() throws { try check("Protocol", ProtocolTables.all) }

    private func check(_ article: String, _ parts: [(mark: String, text: String)]) throws {
        let file = TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc/\(article).md")
        var text = try String(contentsOf: file, encoding: .utf8)
        for part in parts {
            let begin = "<!-- begin: \(part.mark), written by ArticleTests -->\n"
            let from = try #require(text.range(of: begin), "\(article).md has no mark for \(part.mark)").upperBound
            let to = try #require(text[from...].range(of: "<!-- end -->")).lowerBound
            if ProcessInfo.processInfo.environment["CAMPANILE_WRITE_VECTORS"] != nil {
                text.replaceSubrange(from..<to, with: part.text)
            } else {
                #expect(
                    text[from..<to] == part.text,
                    "\(article).md, \(part.mark): CAMPANILE_WRITE_VECTORS=1 swift test --filter ArticleTests writes it")
            }
        }
        if ProcessInfo.processInfo.environment["CAMPANILE_WRITE_VECTORS"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
    }
}
