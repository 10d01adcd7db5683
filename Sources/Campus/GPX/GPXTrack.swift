import Foundation

/// A track read from a GPX file (GPX 1.0 and 1.1).
public struct GPXTrack: Codable, Sendable, Equatable {
    /// One recorded position.
    public struct Point: Codable, Sendable, Equatable {
        public var point: GeoPoint
        /// Metres above sea level, if recorded.
        public var elevationMetres: Double?
        /// Milliseconds since 1970-01-01T00:00:00Z; nil only if the file was read without requiring times.
        public var timeMilliseconds: Int64?

        public init(point: GeoPoint, elevationMetres: Double? = nil, timeMilliseconds: Int64? = nil) {
            self.point = point
            self.elevationMetres = elevationMetres
            self.timeMilliseconds = timeMilliseconds
        }
    }

    /// The track's name, if it has one.
    public var name: String?
    /// The segments in file order; recording was interrupted between them.
    public var segments: [[Point]]

    public init(name: String? = nil, segments: [[Point]]) {
        self.name = name
        self.segments = segments
    }

    /// All points of all segments in file order.
    public var points: [Point] { segments.flatMap { $0 } }

    /// The points with a time as fixes for ``GPSFilter``, numbered from `firstSequence`.
    public func fixes(firstSequence: Int64 = 1) -> [GPSFilter.Fix] {
        var sequence = firstSequence
        return points.compactMap { point in
            guard let time = point.timeMilliseconds else { return nil }
            defer { sequence += 1 }
            return GPSFilter.Fix(sequence: sequence, point: point.point, timeMilliseconds: time)
        }
    }

    /// Maximum size of a file, in bytes.
    public static let gpxBytesMax = 64 * 1024 * 1024
    /// Maximum number of points in one file.
    public static let gpxPointsMax = 1_000_000

    /// Reads all tracks of a GPX file. Waypoints, routes and extensions are skipped; tracks without points are left
    /// out.
    ///
    /// Document type declarations, and therefore entities of any kind, are refused before the file is parsed. Encodings
    /// other than UTF-8 and ISO 8859-1 are refused because the check needs readable bytes, and because FoundationXML
    /// terminates the process at names that are not Unicode. FoundationXML also terminates it at processing
    /// instructions without content (`<?x?>`), which GPX does not use; they are refused too.
    /// - Parameters:
    ///   - data: The whole file.
    ///   - requiringTimes: Whether a point without a time is an error.
    /// - Throws: ``GPXError`` with line, column and remedy.
    public static func read(_ data: Data, requiringTimes: Bool = true) throws(GPXError) -> [GPXTrack] {
        guard data.count <= gpxBytesMax else { throw .tooLarge(bytes: data.count) }
        guard isReadableText(data) else { throw .encoding }
        guard data.range(of: Data("<!DOCTYPE".utf8)) == nil, data.range(of: Data("<!ENTITY".utf8)) == nil else {
            throw .documentType
        }
        guard !hasEmptyInstruction(data) else { throw .instruction }
        return try GPXReader(requiringTimes: requiringTimes).read(data)
    }

    /// Maximum length of the XML declaration, in bytes.
    private static let declarationBytesMax = 256

    /// Whether a byte-wise search sees the same characters as the XML parser.
    private static func isReadableText(_ data: Data) -> Bool {
        // XML has no NUL (XML 1.0 §2.2); UTF-16 and UTF-32 have many.
        guard !data.contains(0) else { return false }
        var start = String(decoding: data.prefix(declarationBytesMax), as: UTF8.self)[...]
        if start.hasPrefix("\u{FEFF}") { start = start.dropFirst() }
        guard start.hasPrefix("<?xml") else { return isUTF8(data) }
        guard let end = start.range(of: "?>") else { return false }
        let declaration = start[..<end.lowerBound].lowercased()
        guard let declared = declaration.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/) else {
            return !declaration.contains("encoding") && isUTF8(data)
        }
        switch declared.1 {
        case "utf-8", "us-ascii": return isUTF8(data)
        // Every byte is one character, and ASCII bytes are ASCII characters.
        case "iso-8859-1": return true
        default: return false
        }
    }

    /// Whether a processing instruction has nothing after its name. Checks every possible instruction, even in
    /// comments. Linear.
    private static func hasEmptyInstruction(_ data: Data) -> Bool {
        var isInside = false
        var hasSpace = false
        var last: UInt8 = 0
        for byte in data {
            if !isInside {
                (isInside, hasSpace) = (last == UInt8(ascii: "<") && byte == UInt8(ascii: "?"), false)
            } else if last == UInt8(ascii: "?"), byte == UInt8(ascii: ">") {
                if !hasSpace { return true }
                isInside = false
            } else if byte == 0x20 || (0x09...0x0D).contains(byte) {
                hasSpace = true
            }
            last = byte
        }
        return false
    }

    private static func isUTF8(_ data: Data) -> Bool { String(validating: data, as: UTF8.self) != nil }
}

/// The reason why a GPX file could not be read. Lines and columns count from 1.
public enum GPXError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file is larger than ``GPXTrack/gpxBytesMax``.
    case tooLarge(bytes: Int)
    /// The file has more points than ``GPXTrack/gpxPointsMax``.
    case tooManyPoints(line: Int)
    /// The file declares a document type, which GPX does not use.
    case documentType
    /// The file is not text in UTF-8 or ISO 8859-1.
    case encoding
    /// The file contains a processing instruction without content, such as `<?x?>`.
    case instruction
    /// The XML is truncated or malformed.
    case malformed(line: Int, column: Int)
    /// The XML is well-formed but its root is not `gpx`.
    case notGPX(root: String)
    /// A point's coordinates are missing, not numbers or out of range.
    case coordinates(line: Int, column: Int)
    /// A point has no time.
    case missingTime(line: Int, column: Int)
    /// A time is not an ISO 8601 date and time.
    case time(line: Int, column: Int)
    /// The file has no track with points.
    case empty

    /// The error and its remedy.
    public var description: String {
        switch self {
        case .tooLarge(let bytes):
            "the GPX file has \(bytes) bytes, more than \(GPXTrack.gpxBytesMax): split it into several tracks"
        case .tooManyPoints(let line):
            "more than \(GPXTrack.gpxPointsMax) points at line \(line): split the file into several tracks"
        case .documentType: "the file declares a document type, which GPX does not use: export it again as plain GPX"
        case .encoding: "the file is not text in UTF-8: export it again as GPX in UTF-8"
        case .instruction: "the file has an empty processing instruction (<?…?>): export it again as plain GPX"
        case .malformed(let line, let column):
            "the XML ends early or is broken at line \(line), column \(column): the file may be truncated, copy or "
                + "export it again"
        case .notGPX(let root): "the root element is <\(root)>, not <gpx>: give a GPX file"
        case .coordinates(let line, let column):
            "line \(line), column \(column): a track point needs lat from -90 to 90 and lon from -180 to 180: correct "
                + "it or export the file again"
        case .missingTime(let line, let column):
            "line \(line), column \(column): a track point has no <time>: give a recorded track, not a planned route"
        case .time(let line, let column):
            "line \(line), column \(column): a <time> is not a date and time like 2020-08-07T09:15:14Z: correct it or "
                + "export the file again"
        case .empty: "the file has no track points: give a GPX file with a recorded track (<trk>)"
        }
    }
}
