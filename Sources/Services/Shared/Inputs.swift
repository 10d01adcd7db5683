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

    /// Text without white space around it. Lengths are counted as PostgreSQL does, in Unicode scalars.
    /// - Parameter isAllowed: Control characters that may be part of it.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func text(
        _ text: String?, _ field: String, charactersMax: Int, isAllowed: (Unicode.Scalar) -> Bool = { _ in false }
    ) throws -> String {
        let trimmed = Registration.trimmed(text)
        guard trimmed.unicodeScalars.count <= charactersMax else {
            throw RPCError.invalid(field, "has at most \(charactersMax) characters")
        }
        guard trimmed.unicodeScalars.allSatisfy({ !isControl($0) || isAllowed($0) }) else {
            throw RPCError.invalid(field, "must not hold control characters")
        }
        return trimmed
    }

    /// The general category Cc, which is these and will not change; looking it up for each
    /// letter takes a tenth of what a message costs.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    /// Lines may end, and be indented.
    static func isLayout(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\t" }
}
