import Foundation
import Testing

@testable import Campus

@Suite("Reading GPX")
struct GPXTrackTests {
    private static func gpx(_ body: String, head: String = "") -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            \(head)<gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="test">
            \(body)
            </gpx>
            """.utf8)
    }

    private static let point =
        #"<trkpt lat="-8.5" lon="-34.9"><ele>3.5</ele><time>2020-08-07T09:15:14.879Z</time></trkpt>"#

    @Test("names, segments, elevations and times are read; waypoints, routes and extensions are passed over")
    func reads() throws {
        let tracks = try GPXTrack.read(
            Self.gpx(
                """
                <wpt lat="1" lon="1"><name>not me</name></wpt>
                <trk><name> Morning &amp; run </name><trkseg>\(Self.point)
                <trkpt lat="1" lon="2"><time>1970-01-01T01:00:00+01:00</time>
                <extensions><name>x</name><time>never</time></extensions></trkpt>
                </trkseg><trkseg/><trkseg>\(Self.point)</trkseg></trk><trk><name>empty</name></trk>
                """))
        #expect(tracks.count == 1)
        #expect(tracks[0].name == "Morning & run")
        #expect(tracks[0].segments.map(\.count) == [2, 1])
        #expect(tracks[0].points[0].elevationMetres == 3.5)
        #expect(tracks[0].points[0].timeMilliseconds == 1_596_791_714_879)
        #expect(tracks[0].points[1].timeMilliseconds == 0)
        #expect(tracks[0].fixes(firstSequence: 7).map(\.sequence) == [7, 8, 9])
    }

    @Test("a truncated file is an error with line and column, and so is one cut at any byte")
    func truncated() throws {
        let whole = Self.gpx("<trk><trkseg>\(Self.point)</trkseg></trk>")
        _ = try GPXTrack.read(whole)
        for length in 0..<(whole.count - 1) {
            #expect(throws: GPXError.self, "cut at \(length)") { try GPXTrack.read(whole.prefix(length)) }
        }
        let error = #expect(throws: GPXError.self) { try GPXTrack.read(whole.dropLast(12)) }
        guard case .malformed(let line, let column) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(line >= 3 && column >= 1)
    }

    @Test("a point without a time says so with its line, unless times are not required")
    func missingTime() throws {
        let data = Self.gpx("<trk><trkseg>\n<trkpt lat=\"1\" lon=\"2\"></trkpt></trkseg></trk>")
        let error = #expect(throws: GPXError.self) { try GPXTrack.read(data) }
        guard case .missingTime(let line, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(line == 4)
        #expect(error?.description.contains("no <time>") == true)
        #expect(try GPXTrack.read(data, requiringTimes: false)[0].points.count == 1)
    }

    @Test(
        "coordinates out of range, missing or not numbers are refused",
        arguments: [
            #"lat="91" lon="0""#, #"lat="0" lon="-181""#, #"lat="0""#, #"lat="x" lon="0""#, #"lat="nan" lon="0""#,
        ])
    func coordinates(attributes: String) {
        let data = Self.gpx(
            "<trk><trkseg><trkpt \(attributes)><time>2020-01-01T00:00:00Z</time></trkpt></trkseg></trk>")
        let error = #expect(throws: GPXError.self) { try GPXTrack.read(data) }
        guard case .coordinates = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("document types are refused, so entities cannot read files or blow up")
    func documentType() {
        let head = #"<!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]>"#
        #expect(throws: GPXError.documentType) {
            try GPXTrack.read(Self.gpx("<trk><name>&x;</name></trk>", head: head))
        }
    }

    @Test("text that is not UTF-8, and so may hide a document type or end the XML parser, is refused")
    func encodings() throws {
        let gpx = "<gpx><trk><trkseg>\(Self.point)</trkseg></trk></gpx>"
        func refuses(_ data: Data, _ comment: Comment) {
            #expect(throws: GPXError.encoding, comment) { try GPXTrack.read(data) }
        }
        refuses(Data("<gpx><x\u{FF}".utf8.map { $0 == 0xC3 ? 0xFF : $0 }), "no UTF-8")
        refuses(Data(gpx.utf8.flatMap { [$0, 0] }), "UTF-16")
        for name in ["UTF-7", "UTF-16", "EBCDIC-US", "x", ""] {
            refuses(Data("<?xml version='1.0' encoding='\(name)'?>\(gpx)".utf8), "\(name)")
        }
        refuses(Data("<?xml version='1.0'\(String(repeating: " ", count: 300))encoding='UTF-7'?>\(gpx)".utf8), "late")
        for start in ["\u{FEFF}", "<?xml version='1.0' encoding='UTF-8'?>", "<?xml version='1.0'?>"] {
            #expect(try GPXTrack.read(Data("\(start)\(gpx)".utf8)).count == 1, "\(start)")
        }
        let name =
            Data("<?xml version='1.0' encoding='ISO-8859-1'?><gpx><trk><name>M".utf8) + [0xFC]
            + Data("nster</name>".utf8)
        #expect(
            try GPXTrack.read(name + Data("<trkseg>\(Self.point)</trkseg></trk></gpx>".utf8)).first?.name == "Münster")
    }

    @Test("a processing instruction without content, at which the XML parser ends the process, is refused")
    func instructions() throws {
        let gpx = "<gpx><trk><trkseg>\(Self.point)</trkseg></trk></gpx>"
        for start in ["<?x?>", "<gpx><?x?></gpx>", "<?a b?><?x?>"] {
            #expect(throws: GPXError.instruction, "\(start)") { try GPXTrack.read(Data((start + gpx).utf8)) }
        }
        #expect(try GPXTrack.read(Data(("<?xml-stylesheet href='a'?>" + gpx).utf8)).count == 1)
    }

    @Test("other XML, an empty GPX and an oversized file are told apart")
    func otherFiles() {
        #expect(throws: GPXError.notGPX(root: "kml")) { try GPXTrack.read(Data("<kml></kml>".utf8)) }
        #expect(throws: GPXError.empty) { try GPXTrack.read(Self.gpx("")) }
        #expect(throws: GPXError.tooLarge(bytes: GPXTrack.gpxBytesMax + 1)) {
            try GPXTrack.read(Data(count: GPXTrack.gpxBytesMax + 1))
        }
    }

    @Test("times are ISO 8601, with fraction, offset or neither; impossible ones are refused")
    func times() {
        #expect(ISOTime.milliseconds("2020-02-29T12:00:00Z") == 1_582_977_600_000)
        #expect(ISOTime.milliseconds("2020-02-29T12:00:00.5") == 1_582_977_600_500)
        #expect(ISOTime.milliseconds("2020-02-29T12:00:00.123456Z") == 1_582_977_600_123)
        #expect(ISOTime.milliseconds("2020-02-29T09:30:00-02:30") == 1_582_977_600_000)
        #expect(ISOTime.milliseconds("1969-12-31T23:59:59Z") == -1_000)
        for text in [
            "", "2019-02-29T12:00:00Z", "2020-13-01T00:00:00Z", "2020-01-01", "2020-01-01T24:00:00Z",
            "2020-01-01T00:00:00.Z", "2020-01-01T00:00:00Zx",
        ] {
            #expect(ISOTime.milliseconds(text) == nil, "\(text)")
        }
    }
}
