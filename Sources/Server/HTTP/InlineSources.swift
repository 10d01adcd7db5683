import COpenSSL
import Foundation

/// Scripts and styles within the web app's document. The policy of every response allows exactly these, by their digests (CSP Level 3,
/// §2.3.1), so that the first paint waits for the document alone.
struct InlineSources: Sendable {
    /// Source expressions such as `'sha256-…'`.
    private(set) var scripts: [String] = []
    private(set) var styles: [String] = []

    /// A document without any.
    init() {}

    /// Finds them in a document of ours, whose start tags contain no `>` besides their last character. O(length of the document).
    init(document: String) {
        scripts = Self.contents(of: "script", in: document).map(Self.expression)
        styles = Self.contents(of: "style", in: document).map(Self.expression)
    }

    private static func contents(of name: String, in document: String) -> [Substring] {
        document.ranges(of: "<\(name)").map { document[$0.upperBound...] }.compactMap { rest in
            guard let tagEnd = rest.firstIndex(of: ">"), !rest[..<tagEnd].contains(" src=") else { return nil }
            let content = rest[rest.index(after: tagEnd)...]
            return content.firstRange(of: "</\(name)>").map { content[..<$0.lowerBound] }
        }
    }

    private static func expression(_ content: Substring) -> String {
        let bytes = Array(content.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        return "'sha256-\(Data(digest).base64EncodedString())'"
    }
}
