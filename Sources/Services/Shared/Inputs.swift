import Foundation
import Wire

/// Checks of client input shared by all services.
enum Inputs {
    /// A client-chosen UUID in lower case, the form that PostgreSQL returns.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func clientID(_ text: String, _ field: String = "id") throws -> String {
        guard let id = UUID(uuidString: text) else {
            throw RPCError.invalid(field, "must be a UUID, such as one of crypto.randomUUID()")
        }
        return id.uuidString.lowercased()
    }

    /// Validates the requested number of results.
    /// - Throws: ``Wire/RPCError`` naming `limit`.
    static func limit(_ limit: Int?, max: Int, default usual: Int) throws -> Int {
        let limit = limit ?? usual
        guard (1...max).contains(limit) else { throw RPCError.invalid("limit", "must be 1 to \(max)") }
        return limit
    }

    /// Largest number of scalars in the decomposition of one scalar (Unicode 15.1, NFD of U+1F82 and similar).
    static let decomposedScalarsMax = 4

    /// Text in the canonical composed form (NFC), so that a search finds it however it was typed. Composition precedes the length check
    /// because it can shorten or lengthen text. Text far beyond the limit is returned uncomposed; the length check rejects it.
    static func composed(_ text: String?, charactersMax: Int) -> String? {
        guard let text else { return nil }
        let trimmed = trimmed(text)
        guard trimmed.unicodeScalars.count <= charactersMax * decomposedScalarsMax else { return trimmed }
        return trimmed.precomposedStringWithCanonicalMapping
    }

    /// Trimmed text whose length, in Unicode scalars as PostgreSQL counts them, is within the limit.
    /// - Parameter isAllowed: Accepts control characters that the text may contain.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func text(
        _ text: String?, _ field: String, charactersMax: Int, isAllowed: (Unicode.Scalar) -> Bool = { _ in false }
    ) throws -> String {
        let trimmed = trimmed(text)
        guard trimmed.unicodeScalars.count <= charactersMax else {
            throw RPCError.invalid(field, "has at most \(charactersMax) characters")
        }
        guard trimmed.unicodeScalars.allSatisfy({ !LineFault.isControl($0) || isAllowed($0) }) else {
            throw RPCError.invalid(field, "must not contain control characters")
        }
        return trimmed
    }

    /// Validates a name or title: one line with at least one visible character and no characters that reorder the surrounding text.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func name(_ text: String?, _ field: String, charactersMax: Int) throws -> String {
        let name = try self.text(text, field, charactersMax: charactersMax)
        guard !name.isEmpty else { throw RPCError.invalid(field, "must not be empty") }
        if let fault = LineFault(name) { throw RPCError.invalid(field, fault.message) }
        return name
    }

    /// Whether the scalar is a line feed or a tab.
    static func isLayout(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\t" }

    /// Text without white space at either end; empty when there is none.
    static func trimmed(_ text: String?) -> String {
        guard let text, let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return "" }
        if !first.properties.isWhitespace, !last.properties.isWhitespace { return text }
        let scalars = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(scalars[...$0]) } ?? ""
    }

    /// Comparison key of user names and email addresses: equal for either case and any Unicode form. The server computes it because the
    /// result of SQL's `lower()` depends on the database's locale.
    static func key(_ text: String) -> String {
        text.lowercased().precomposedStringWithCanonicalMapping
    }

    /// Largest length of a time zone name.
    static let timeZoneCharactersMax = 64

    /// Zone of the tz database with this name, or UTC; nil for fixed offsets, which have no daylight saving time.
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
