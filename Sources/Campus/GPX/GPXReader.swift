import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An event-driven reader for a GPX file that keeps the tracks and builds no tree.
///
/// Used once and on one thread, inside ``GPXTrack/read(_:requiringTimes:)``.
final class GPXReader: NSObject, XMLParserDelegate {
    /// Texts of elements are truncated to this length; no name or number needs more.
    private static let textBytesMax = 1_024

    private let requiringTimes: Bool
    private var tracks: [GPXTrack] = []
    private var path: [String] = []
    private var text = ""
    private var point: GPXTrack.Point?
    private var pointsRead = 0
    private var rootClosed = false
    private var failure: GPXError?

    init(requiringTimes: Bool) {
        self.requiringTimes = requiringTimes
    }

    func read(_ data: Data) throws(GPXError) -> [GPXTrack] {
        let parser = XMLParser(data: data)
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = self
        let sound = parser.parse()
        if let failure { throw failure }
        // The parser accepts a file that ends within its last closing tags, so the open elements are checked as well.
        guard sound, rootClosed else {
            throw .malformed(line: max(1, parser.lineNumber), column: max(1, parser.columnNumber))
        }
        let kept = tracks.map { GPXTrack(name: $0.name, segments: $0.segments.filter { !$0.isEmpty }) }
            .filter { !$0.segments.isEmpty }
        guard !kept.isEmpty else { throw .empty }
        return kept
    }

    private func fail(_ error: GPXError, _ parser: XMLParser) {
        guard failure == nil else { return }
        failure = error
        parser.abortParsing()
    }

    /// The path of the current element in the tree. Unknown elements (extensions) are ignored.
    private var place: String { path.joined(separator: "/") }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard failure == nil else { return }
        path.append(elementName)
        text = ""
        if path.count == 1, elementName != "gpx" {
            // The error contains the name, so a hostile name must not fill the terminal.
            return fail(.notGPX(root: shown(elementName, scalarsMax: 40)), parser)
        }
        switch place {
        case "gpx/trk": tracks.append(GPXTrack(segments: []))
        case "gpx/trk/trkseg": tracks[tracks.count - 1].segments.append([])
        case "gpx/trk/trkseg/trkpt":
            pointsRead += 1
            guard pointsRead <= GPXTrack.gpxPointsMax else {
                return fail(.tooManyPoints(line: parser.lineNumber), parser)
            }
            guard let latitude = attributes["lat"].flatMap(Double.init),
                let longitude = attributes["lon"].flatMap(Double.init),
                let position = try? GeoPoint(latitude: latitude, longitude: longitude)
            else { return fail(.coordinates(line: parser.lineNumber, column: parser.columnNumber), parser) }
            point = GPXTrack.Point(point: position)
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard text.utf8.count < Self.textBytesMax else { return }
        text += string.prefix(Self.textBytesMax)
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard failure == nil else { return }
        let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch place {
        case "gpx/trk/name": if !value.isEmpty { tracks[tracks.count - 1].name = String(value.prefix(200)) }
        case "gpx/trk/trkseg/trkpt/ele":
            if let metres = Double(value), metres.isFinite { point?.elevationMetres = metres }
        case "gpx/trk/trkseg/trkpt/time":
            guard let milliseconds = ISOTime.milliseconds(value) else {
                return fail(.time(line: parser.lineNumber, column: parser.columnNumber), parser)
            }
            point?.timeMilliseconds = milliseconds
        case "gpx/trk/trkseg/trkpt": finishPoint(parser)
        default: break
        }
        path.removeLast()
        rootClosed = path.isEmpty
        text = ""
    }

    private func finishPoint(_ parser: XMLParser) {
        guard let point else { return }
        if requiringTimes, point.timeMilliseconds == nil {
            return fail(.missingTime(line: parser.lineNumber, column: parser.columnNumber), parser)
        }
        let track = tracks.count - 1
        tracks[track].segments[tracks[track].segments.count - 1].append(point)
        self.point = nil
    }
}
