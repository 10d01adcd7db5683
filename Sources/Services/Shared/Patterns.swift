import Foundation

/// What PostgreSQL's `LIKE` takes.
enum Patterns {
    /// Words that are looked for.
    static let wordsMax = 10

    /// Each word anywhere, with nothing of the syntax, in the Unicode form that texts are kept in.
    static func like(_ text: String) -> [String] {
        text.precomposedStringWithCanonicalMapping.split { $0.isWhitespace }.prefix(wordsMax).map { word in
            "%" + word.reduce(into: "") { $0 += "\\%_".contains($1) ? "\\\($1)" : String($1) } + "%"
        }
    }
}
