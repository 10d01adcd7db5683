/// Texts of other projects, made fit for the catalogue.
enum ImportedText {
    /// One line without control characters and blanks at its ends.
    static func line(_ text: String, max: Int) -> String {
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            let isBlank =
                scalar.value <= 0x20 || (0x7F...0xA0).contains(scalar.value)
                || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator
                || scalar.properties.generalCategory == .format
            if isBlank {
                if let last = scalars.last, last != " " { scalars.append(" ") } else { continue }
            } else {
                scalars.append(scalar)
            }
            count += 1
            if count >= max { break }
        }
        while scalars.last == " " { scalars.removeLast() }
        return String(scalars)
    }

    static func steps(_ texts: [String]) -> [String] {
        texts.prefix(ExerciseImport.stepsMax).map { line($0, max: ExerciseImport.stepLengthMax) }.filter { !$0.isEmpty }
    }

    /// Part of an id: letters, digits and `_.-`; nil if nothing is left.
    static func slug(_ text: String, max: Int) -> String? {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            guard bytes.count < max else { break }
            let isKept =
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            if isKept { bytes.append(byte) } else if bytes.last != UInt8(ascii: "-") { bytes.append(UInt8(ascii: "-")) }
        }
        let slug = String(decoding: bytes, as: UTF8.self)
        return slug.utf8.contains { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") } ? slug : nil
    }

    /// Blocks of HTML as lines, without tags.
    static func lines(ofHTML html: String) -> [String] {
        var lines: [String] = []
        var line = ""
        var tag: String?
        for character in html.prefix(ExerciseImport.stepLengthMax * ExerciseImport.stepsMax) {
            if tag != nil {
                guard character == ">" else {
                    tag?.append(character)
                    continue
                }
                let name = (tag ?? "").drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
                if ["p", "li", "br", "ol", "ul", "div"].contains(name) {
                    lines.append(line)
                    line = ""
                }
                tag = nil
            } else if character == "<" {
                tag = ""
            } else {
                line.append(character)
            }
        }
        lines.append(line)
        return steps(lines.map(withoutEntities))
    }

    private static func withoutEntities(_ text: String) -> String {
        guard text.contains("&") else { return text }
        return [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
