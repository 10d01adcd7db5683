import Foundation

/// Builds patterns for PostgreSQL's `LIKE`.
enum Patterns {
    /// Largest number of words in a search.
    static let wordsMax = 10

    /// One pattern per word that matches it anywhere, escaped, in the Unicode form that stored texts have.
    static func like(_ text: String) -> [String] {
        text.precomposedStringWithCanonicalMapping.split { $0.isWhitespace }.prefix(wordsMax).map { word in
            let escaped: String = word.reduce(into: "") { text, character in
                if "\\%_".contains(character) { text.append("\\") }
                text.append(character)
            }
            return "%\(escaped)%"
        }
    }
}
