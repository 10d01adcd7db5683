import Foundation

/// A text as words that are compared: Latin letters in lower case without accents, and digits. Other scripts are
/// transliterated by ICU, so that `Северо`, `severo` and `SÉVERO` are the same.
public struct FoldedText: Sendable, Equatable {
    /// Maximum number of words; further ones are left out.
    public static let wordsMax = 24
    /// Maximum length of a word, in bytes; the rest is left out.
    public static let wordBytesMax = 48
    /// Maximum length of a text, in Unicode scalars; the rest is left out.
    public static let scalarsMax = 400

    /// The words in UTF-8, in order.
    public let words: [[UInt8]]

    public init(_ text: String) {
        let isShort = text.utf8.count <= Self.scalarsMax
        let text = isShort ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.scalarsMax)))
        words = Self.split(Self.latin(text))
    }

    /// Number of bytes of all words.
    var bytes: Int { words.reduce(0) { $0 + $1.count } }

    private static let transform = StringTransform("Any-Latin; Latin-ASCII; Lower")

    private static func latin(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let text = text.precomposedStringWithCompatibilityMapping
        return text.applyingTransform(transform, reverse: false) ?? text.lowercased()
    }

    /// Loads ICU's rules, which takes up to a second for Chinese. Later calls have no effect.
    public static func loadRules() { _ = rulesLoaded }

    /// One word in each script whose rules are slow to load.
    private static let rulesLoaded = ["é", "ж", "ع", "ש", "北", "ホ", "ไ", "न", "한", "ა", "α"].map { latin($0) }

    private static func split(_ text: String) -> [[UInt8]] {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        func end() {
            if !word.isEmpty, words.count < wordsMax { words.append(word) }
            word.removeAll()
        }
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x30...0x39, 0x61...0x7A:
                if word.count < wordBytesMax { word.append(UInt8(scalar.value)) }
            case 0x41...0x5A:
                if word.count < wordBytesMax { word.append(UInt8(scalar.value + 0x20)) }
            // Apostrophes, and the modifier letters that transliteration leaves, are part of a word and not compared.
            case 0x27, 0x60, 0x2B0...0x2FF, 0x2018, 0x2019: continue
            case 0..<0x80: end()
            default:
                // A letter that ICU does not transliterate.
                guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
                    end()
                    continue
                }
                let bytes = Array(String(scalar).utf8)
                if word.count + bytes.count <= wordBytesMax { word += bytes }
            }
        }
        end()
        return words
    }
}
