import EventLoop
import Foundation

/// Calendar files as somebody else's program reads them: Python's `icalendar`, Debian's `python3-icalendar`.
public enum CalendarReader {
    /// An event of a calendar.
    public struct Entry: Decodable, Sendable, Equatable {
        /// Properties of type TEXT and URI.
        public let uid, summary, location, status, url: String
        /// Moments, such as `2026-11-20T16:00:00UTC`.
        public let start, end, stamp, changed: String
        /// If there is one.
        public let description: String?
        /// None when there are none.
        public let categories: [String]
        /// Latitude and longitude.
        public let geo: [Double]?
        /// Changes.
        public let sequence: Int
        /// Names of its properties, each as often as it is there.
        public let names: [String]
    }

    /// A whole file.
    public struct File: Decodable, Sendable, Equatable {
        /// Of the calendar, if it says.
        public let name, refresh: String?
        /// `2.0`
        public let version: String
        /// What else there is than events.
        public let others: Int
        /// In the order of the file.
        public let events: [Entry]
    }

    /// What Python cannot read.
    public struct Unreadable: Error, CustomStringConvertible {
        /// What it says.
        public let description: String
    }

    private static let script = """
        import sys, json
        from icalendar import Calendar
        data = sys.stdin.buffer.read()
        found = Calendar.from_ical(data, multiple=True)
        assert len(found) == 1, 'calendars: %d' % len(found)
        c = found[0]
        def text(x): return None if x is None else str(x)
        def time(p): return p.dt.strftime('%Y-%m-%dT%H:%M:%S') + str(p.dt.tzinfo)
        events = []
        for e in c.walk('VEVENT'):
            assert not e.errors, e.errors
            geo = e.get('GEO')
            cats = e.get('CATEGORIES')
            events.append(dict(uid=str(e['UID']), summary=str(e['SUMMARY']), location=str(e['LOCATION']), status=str(e['STATUS']),
                start=time(e['DTSTART']), end=time(e['DTEND']), stamp=time(e['DTSTAMP']), changed=time(e['LAST-MODIFIED']),
                url=str(e['URL']), description=text(e.get('DESCRIPTION')), categories=[str(x) for x in cats.cats] if cats else [],
                geo=[geo.latitude, geo.longitude] if geo else None, sequence=int(e['SEQUENCE']),
                names=sorted(str(k) for k, v in e.items() for _ in (v if isinstance(v, list) else [v]))))
        print(json.dumps(dict(name=text(c.get('NAME')), refresh=text(c.get('X-PUBLISHED-TTL')), version=str(c['VERSION']),
            others=len(c.walk()) - 1 - len(events), events=events)))
        """

    /// Reads a file.
    /// - Throws: ``Unreadable`` with what Python says.
    public static func read(_ bytes: [UInt8]) throws -> File {
        let file = URL(fileURLWithPath: try TestDirectory.make("calendar") + "/in.ics")
        try Data(bytes).write(to: file)
        let (input, output) = (try FileHandle(forReadingFrom: file), Pipe())
        defer { try? input.close() }
        let end = output.fileHandleForWriting
        // Debian's own, whatever else is first in PATH.
        let python = try RunningProgram(
            ["/usr/bin/python3", "-c", script], inheritsEnvironment: true, input: input.fileDescriptor,
            output: end.fileDescriptor, errors: end.fileDescriptor)
        try end.close()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        guard python.wait() == 0 else {
            throw Unreadable(description: String(decoding: said, as: UTF8.self))
        }
        return try JSONDecoder().decode(File.self, from: said)
    }
}
