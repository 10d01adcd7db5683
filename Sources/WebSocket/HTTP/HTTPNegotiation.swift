/// Proactive content negotiation (RFC 9110 §12).
public enum HTTPNegotiation {
    /// The content coding of a response.
    public enum Coding: Sendable, Equatable {
        case identity, gzip, brotli
        /// No acceptable coding: answer 406.
        case none
    }

    /// Chooses a coding by Accept-Encoding (§12.5.3).
    /// - Parameters:
    ///   - hasGzip: Whether a gzip form exists. It is preferred to the identity form if the client weighs both equally.
    ///   - hasBrotli: Whether a Brotli form exists. It is preferred to both.
    public static func coding(for headers: HTTPHeaders, hasGzip: Bool, hasBrotli: Bool = false) -> Coding {
        // "If no Accept-Encoding header field is in the request, any content coding is considered acceptable": the
        // identity form is readable by every client.
        guard headers["Accept-Encoding"] != nil else { return .identity }
        var gzip: Int?
        var brotli: Int?
        var identity: Int?
        var others: Int?
        for element in headers.list("Accept-Encoding") {
            guard let (name, quality) = Self.weighted(element) else { continue }
            // §8.4.1.3: "A recipient SHOULD consider "x-gzip" to be equivalent to "gzip"".
            if HTTPHeaders.same(name, "gzip") || HTTPHeaders.same(name, "x-gzip") { gzip = max(gzip ?? 0, quality) }
            if HTTPHeaders.same(name, "br") { brotli = max(brotli ?? 0, quality) }
            if HTTPHeaders.same(name, "identity") { identity = quality }
            if name == "*" { others = quality }
        }
        let gzipQuality = hasGzip ? gzip ?? others ?? 0 : 0
        let brotliQuality = hasBrotli ? brotli ?? others ?? 0 : 0
        // "identity" is acceptable unless it is excluded, explicitly or by "*;q=0"; it has the lowest preference.
        let identityQuality = identity ?? (others == 0 ? 0 : nil)
        let (packed, packedQuality): (Coding, Int) =
            brotliQuality >= gzipQuality ? (.brotli, brotliQuality) : (.gzip, gzipQuality)
        if packedQuality > 0, packedQuality >= identityQuality ?? 0 { return packed }
        return identityQuality == 0 ? (packedQuality > 0 ? packed : .none) : .identity
    }

    /// Whether Accept contains this media type, as browsers' requests contain `text/html`; wildcards do not count
    /// (§12.5.1).
    public static func names(_ type: String, in headers: HTTPHeaders) -> Bool {
        headers.list("Accept").contains { element in
            guard let (name, quality) = weighted(element) else { return false }
            return quality > 0 && HTTPHeaders.same(name, type)
        }
    }

    /// A list element and its weight in thousandths (§12.4.2), 1000 by default; nil if the weight is malformed.
    private static func weighted(_ element: String) -> (name: String, quality: Int)? {
        let parts = element.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { trimmingOptionalWhitespace($0) }
        guard let name = parts.first, !name.isEmpty else { return nil }
        for part in parts.dropFirst() {
            guard part.count >= 2, part.first?.asciiLowercased == UInt8(ascii: "q"),
                part.dropFirst().first == UInt8(ascii: "=")
            else { continue }
            guard let quality = quality(Array(part.dropFirst(2))) else { return nil }
            return (String(Substring(name)), quality)
        }
        return (String(Substring(name)), 1_000)
    }

    /// Parses qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] ).
    private static func quality(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), bytes.count <= 5 else {
            return nil
        }
        guard bytes.count > 1 else { return first == UInt8(ascii: "1") ? 1_000 : 0 }
        guard bytes[1] == UInt8(ascii: "."), bytes[2...].allSatisfy(\.isDigit) else { return nil }
        var thousandths = 0
        for index in 2..<5 {
            thousandths = thousandths * 10 + (index < bytes.count ? Int(bytes[index] - UInt8(ascii: "0")) : 0)
        }
        if first == UInt8(ascii: "1") { return thousandths == 0 ? 1_000 : nil }
        return thousandths
    }
}
