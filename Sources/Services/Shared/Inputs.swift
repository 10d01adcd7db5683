import Foundation
import Wire

/// Checks of what clients write, the same for every service.
enum Inputs {
    /// A client's own number for what it writes, in lower case, as PostgreSQL writes it.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func clientID(_ text: String, _ field: String = "id") throws -> String {
        guard let id = UUID(uuidString: text) else {
            throw RPCError.invalid(field, "must be a UUID, such as one of crypto.randomUUID()")
        }
        return id.uuidString.lowercased()
    }

    /// How many of something one asks for.
    /// - Throws: ``Wire/RPCError`` naming `limit`.
    static func limit(_ limit: Int?, max: Int, default usual: Int) throws -> Int {
        let limit = limit ?? usual
        guard (1...max).contains(limit) else { throw RPCError.invalid("limit", "must be 1 to \(max)") }
        return limit
    }

    /// Scalars that one scalar of composed text stands for at most when it is taken apart (Unicode 15.1, NFD of U+1F82 and its like).
    static let decomposedScalarsMax = 4

    /// Text in one Unicode form (NFC), so that a search finds it however it was typed. Composed before it is measured: it may get
    /// shorter by it, and also longer. What is far too long is left as it is, and refused for that.
    static func composed(_ text: String?, charactersMax: Int) -> String? {
        guard let text else { return nil }
        let trimmed = trimmed(text)
        guard trimmed.unicodeScalars.count <= charactersMax * decomposedScalarsMax else { return trimmed }
        return trimmed.precomposedStringWithCanonicalMapping
    }

    /// Text without white space around it. Lengths are counted as PostgreSQL does, in Unicode scalars.
    /// - Parameter isAllowed: Control characters that may be part of it.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func text(
        _ text: String?, _ field: String, charactersMax: Int, isAllowed: (Unicode.Scalar) -> Bool = { _ in false }
    ) throws -> String {
        let trimmed = trimmed(text)
        guard trimmed.unicodeScalars.count <= charactersMax else {
            throw RPCError.invalid(field, "has at most \(charactersMax) characters")
        }
        guard trimmed.unicodeScalars.allSatisfy({ !isControl($0) || isAllowed($0) }) else {
            throw RPCError.invalid(field, "must not hold control characters")
        }
        return trimmed
    }

    /// A name or a title: a line that shows something, and disturbs nothing that is written around it.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func name(_ text: String?, _ field: String, charactersMax: Int) throws -> String {
        let name = try self.text(text, field, charactersMax: charactersMax)
        guard !name.isEmpty else { throw RPCError.invalid(field, "must not be empty") }
        guard !name.unicodeScalars.contains(where: turnsText) else {
            throw RPCError.invalid(
                field, "must not hold line breaks or characters that turn text round: leave them out")
        }
        guard isVisible(name) else {
            throw RPCError.invalid(field, "shows nothing: write at least one letter, digit or sign")
        }
        return name
    }

    /// Whether there is anything to see: more than blanks, formats, fillers, and accents on nothing. O(what is in front of it).
    static func isVisible(_ text: String) -> Bool { text.unicodeScalars.contains(where: isVisible) }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value > 0x20 && scalar.value != 0x7F }
        // Blanks that Unicode takes for letters and signs: Braille, a note without a head, hieroglyphs.
        switch scalar.value {
        case 0x2800, 0x1D159, 0x13441, 0x13442: return false
        default: break
        }
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark:
            false
        default: true
        }
    }

    /// Line breaks, and what makes text run backwards.
    private static func turnsText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The general category Cc, which is these and will not change; looking it up for each
    /// letter takes a tenth of what a message costs.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    /// Lines may end, and be indented.
    static func isLayout(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\t" }

    /// Text without white space at either end; empty when there is none.
    static func trimmed(_ text: String?) -> String {
        guard let text, let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return "" }
        if !first.properties.isWhitespace, !last.properties.isWhitespace { return text }
        let scalars = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(scalars[...$0]) } ?? ""
    }

    /// The key that user names and addresses are compared by: equal for either case and either Unicode form. The server computes it,
    /// because the result of `lower()` depends on the database's locale.
    static func key(_ text: String) -> String {
        text.lowercased().precomposedStringWithCanonicalMapping
    }

    /// Characters of a time zone's name.
    static let timeZoneCharactersMax = 64

    /// The zone of the tz database with this name, or UTC; nil for offsets, which know nothing of daylight saving time.
    static func timeZone(_ name: String) -> TimeZone? {
        guard name.utf8.count <= timeZoneCharactersMax, name == "UTC" || name.contains("/"),
            name.unicodeScalars.allSatisfy({ scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                        || "/_+-".unicodeScalars.contains(scalar))
            })
        else { return nil }
        return TimeZone(identifier: name)
    }
}
