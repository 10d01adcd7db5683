/// The byte ranges that a request asks for (RFC 9110 §14).
public enum HTTPRange: Sendable, Equatable {
    /// No Range field, or one that is not honoured: send the whole representation.
    case whole
    /// The requested ranges in the request's order; never empty.
    case parts([Range<Int>])
    /// None of the requested bytes exist: answer 416.
    case unsatisfiable

    /// Maximum ranges of one request. With more, the whole representation is sent, as §14.2 allows for "a set of many
    /// small ranges".
    public static let partsMax = 8

    /// Parses the Range field of a GET (§14.2: "A server MUST ignore a Range header field received with a request
    /// method that is unrecognized or for which range handling is not defined").
    /// - Parameter count: Bytes of the selected representation.
    public init(_ request: HTTPRequest, count: Int) {
        let fields = request.headers.all("Range")
        guard request.method == "GET", fields.count == 1 else {
            self = .whole
            return
        }
        self.init(field: fields[0], count: count)
    }

    init(field: String, count: Int) {
        // §14.2: an unknown unit and an invalid ranges-specifier are ignored.
        guard let equals = field.utf8.firstIndex(of: UInt8(ascii: "=")),
            HTTPHeaders.same(String(field[..<equals]), "bytes"),
            let specified = Self.specified(field.utf8[equals...].dropFirst(), count: count)
        else {
            self = .whole
            return
        }
        let parts = specified.compactMap { $0 }
        // §14.2 permits ignoring or rejecting "more than two overlapping ranges". Any overlap is ignored here: honest
        // clients send none, and sending bytes twice costs more than the whole representation.
        let ordered = parts.sorted { $0.lowerBound < $1.lowerBound }
        let overlaps = zip(ordered, ordered.dropFirst()).contains { $0.upperBound > $1.lowerBound }
        if parts.isEmpty {
            self = .unsatisfiable
        } else if specified.count > Self.partsMax || overlaps {
            self = .whole
        } else {
            self = .parts(parts)
        }
    }

    /// Parses `#( int-range / suffix-range )`; nil if malformed. An unsatisfiable element is nil.
    private static func specified(_ bytes: Substring.UTF8View, count: Int) -> [Range<Int>?]? {
        var ranges: [Range<Int>?] = []
        for element in bytes.split(separator: UInt8(ascii: ",")) {
            let range = trimmingOptionalWhitespace(element)
            if range.isEmpty { continue }
            guard let dash = range.firstIndex(of: UInt8(ascii: "-")),
                let first = position(range[..<dash]), let last = position(range[dash...].dropFirst())
            else { return nil }
            switch (first, last) {
            case (nil, nil): return nil
            case (nil, let suffix?): ranges.append(suffix > 0 && count > 0 ? max(0, count - suffix)..<count : nil)
            case (let first?, nil): ranges.append(first < count ? first..<count : nil)
            case (let first?, let last?):
                // §14.1.1: "An int-range is invalid if the last-pos value is present and less than the first-pos".
                guard last >= first else { return nil }
                // §14.1.2: a last-pos beyond the end "is interpreted as the remainder of the representation".
                ranges.append(first < count ? first..<(min(last, count - 1) + 1) : nil)
            }
        }
        return ranges.isEmpty ? nil : ranges
    }

    /// Parses digits into a number clamped to `Int.max`. The inner optional is nil for an empty input, the outer for a
    /// malformed one.
    private static func position(_ bytes: Substring.UTF8View) -> Int?? {
        if bytes.isEmpty { return .some(nil) }
        guard bytes.allSatisfy(\.isDigit) else { return nil }
        return .some(Int(Substring(bytes)) ?? .max)
    }

    /// The Content-Range of one part (§14.4).
    public static func contentRange(_ part: Range<Int>, count: Int) -> String {
        "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)"
    }
}
