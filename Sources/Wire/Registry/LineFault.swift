/// Fault of a text of one line: a name, a title or a tag.
public enum LineFault: Sendable {
    case controlCharacter
    /// A line separator, or a character that reorders the surrounding text.
    case turningCharacter
    case invisible

    /// The first fault of a trimmed text that is not empty; nil if it has none.
    public init?(_ text: String) {
        if text.unicodeScalars.contains(where: Self.isControl) {
            self = .controlCharacter
        } else if text.unicodeScalars.contains(where: Self.turnsText) {
            self = .turningCharacter
        } else if !Self.isVisible(text) {
            self = .invisible
        } else {
            return nil
        }
    }

    /// Rest of the sentence that begins with the name of the parameter.
    public var message: String {
        switch self {
        case .controlCharacter: "must not contain control characters"
        case .turningCharacter:
            "must not contain line breaks or characters that change the direction of text: leave them out"
        case .invisible: "shows nothing: write at least one letter, digit or sign"
        }
    }

    /// Whether text has a visible character: not only blanks, format characters, fillers and combining marks. O(length of the invisible
    /// prefix).
    public static func isVisible(_ text: String) -> Bool { text.unicodeScalars.contains(where: isVisible) }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value > 0x20 && scalar.value != 0x7F }
        // Blank characters that Unicode classifies as letters or symbols: Braille blank, null notehead, hieroglyph blanks.
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

    /// Line separators and bidirectional control characters.
    private static func turnsText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether the scalar is in general category Cc. The ranges are fixed by Unicode; a property lookup per scalar would take a tenth of
    /// a message's processing time.
    public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
