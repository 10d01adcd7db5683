import Testing

@testable import WebSocket

@Suite("HTTP semantics (RFC 9110)")
struct HTTPSemanticsTests {
    private static let now = HTTPDate(seconds: 1_700_000_000)

    private static func get(_ fields: HTTPHeaders, method: String = "GET") -> HTTPRequest {
        HTTPRequest(method: method, target: "/", path: "/", headers: fields)
    }

    // MARK: Dates

    @Test("the three forms of a date are the same moment (§5.6.7)")
    func dateForms() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            #expect(HTTPDate(text, now: Self.now)?.seconds == 784_111_777, "\(text)")
        }
        #expect(HTTPDate("Sun, 06-Nov-73 08:49:37 GMT", now: Self.now)?.description == "Mon, 06 Nov 2073 08:49:37 GMT")
        #expect(HTTPDate("Sun, 06-Nov-74 08:49:37 GMT", now: Self.now)?.description.contains("1974") == true)
    }

    @Test("a date is written as it was read, over leap years and centuries")
    func dateRoundTrip() {
        #expect(HTTPDate(seconds: 784_111_777).description == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate(seconds: 0).description == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate(seconds: 951_782_400).description == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate(seconds: -1).description == "Wed, 31 Dec 1969 23:59:59 GMT")
        for seconds in stride(from: Int64(-2_000_000_000), to: 20_000_000_000, by: 86_399 * 371) {
            let date = HTTPDate(seconds: seconds)
            #expect(HTTPDate(date.description, now: Self.now) == date)
        }
    }

    @Test(
        "what is no date is none",
        arguments: [
            "", "0", "now", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, +6 Nov 1994 08:49:37 GMT",
        ])
    func noDate(text: String) {
        #expect(HTTPDate(text, now: Self.now) == nil)
    }

    // MARK: Preconditions

    private static let tag = EntityTag("a,b")
    private static let modified = HTTPDate(seconds: 784_111_777)
    private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    private static let same = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "conditions are evaluated in the order of §13.2.2",
        arguments: [
            (["If-None-Match": "\"a,b\""], .notModified), (["If-None-Match": "W/\"a,b\""], .notModified),
            (["If-None-Match": "*"], .notModified), (["If-None-Match": "\"x\" , \"a,b\""], .notModified),
            (["If-None-Match": "\"a\", \"b\""], .proceed), (["If-None-Match": "a,b"], .proceed),
            (["If-None-Match": "\"a,b"], .proceed), (["If-None-Match": "\"x\" \"a,b\""], .proceed),
            (["If-None-Match": "\"x\"", "if-none-match": "\"a,b\""], .notModified),
            (["If-None-Match": "\"x\"", "If-Modified-Since": same], .proceed),
            (["If-Modified-Since": same], .notModified), (["If-Modified-Since": before], .proceed),
            (["If-Modified-Since": "yesterday"], .proceed),
            (["If-Modified-Since": same, "if-modified-since": same], .proceed),
            (["If-Match": "\"a,b\""], .proceed), (["If-Match": "*"], .proceed), (["If-Match": "\"x\""], .failed),
            (["If-Match": "W/\"a,b\""], .failed), (["If-Match": "a,b"], .failed), (["If-Match": ""], .failed),
            (["If-Match": "\"x\"", "If-None-Match": "\"a,b\""], .failed),
            (["If-Match": "\"a,b\"", "If-None-Match": "\"a,b\""], .notModified),
            (["If-Unmodified-Since": same], .proceed), (["If-Unmodified-Since": before], .failed),
            (["If-Unmodified-Since": "x"], .proceed),
            (["If-Match": "\"a,b\"", "If-Unmodified-Since": before], .proceed),
            ([:], .proceed),
        ] as [(HTTPHeaders, HTTPPreconditions.Outcome)])
    func preconditions(fields: HTTPHeaders, outcome: HTTPPreconditions.Outcome) {
        #expect(
            HTTPPreconditions.evaluate(Self.get(fields), tag: Self.tag, modified: Self.modified, now: Self.now)
                == outcome)
    }

    @Test(
        "a match of If-None-Match fails a method that would change something, and dates then do not count (§13.1.2, §13.1.3)"
    )
    func unsafeMethods() {
        let post = Self.get(["If-None-Match": "*"], method: "POST")
        #expect(HTTPPreconditions.evaluate(post, tag: Self.tag, modified: nil, now: Self.now) == .failed)
        let since = Self.get(["If-Modified-Since": Self.same], method: "POST")
        #expect(HTTPPreconditions.evaluate(since, tag: Self.tag, modified: Self.modified, now: Self.now) == .proceed)
    }

    @Test(
        "If-Range takes a strong tag or the exact date (§13.1.5)",
        arguments: [
            ([:], true), (["If-Range": "\"a,b\""], true), (["If-Range": "W/\"a,b\""], false),
            (["If-Range": "\"x\""], false),
            (["If-Range": same], true), (["If-Range": before], false), (["If-Range": "x"], false),
            (["If-Range": "\"a,b\"", "if-range": "\"a,b\""], false), (["If-Range": "*"], false),
        ] as [(HTTPHeaders, Bool)])
    func ifRange(fields: HTTPHeaders, allowed: Bool) {
        #expect(
            HTTPPreconditions.allowsRange(Self.get(fields), tag: Self.tag, modified: Self.modified, now: Self.now)
                == allowed)
    }

    // MARK: Ranges

    @Test(
        "a Range is read as §14.1.2 says",
        arguments: [
            ("bytes=0-4", .parts([0..<5])), ("bytes=5-", .parts([5..<100])), ("bytes=-5", .parts([95..<100])),
            ("bytes=-200", .parts([0..<100])), ("bytes=99-99", .parts([99..<100])),
            ("bytes=90-1000", .parts([90..<100])),
            ("Bytes=0-0", .parts([0..<1])), ("bytes= 0-1 , ,5-6 ", .parts([0..<2, 5..<7])),
            ("bytes=50-60,0-1", .parts([50..<61, 0..<2])), ("bytes=0-1,200-", .parts([0..<2])),
            ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=100-200,300-", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=0-99999999999999999999", .parts([0..<100])),
            ("bytes=-99999999999999999999", .parts([0..<100])),
            ("bytes=5-4", .whole), ("bytes=", .whole), ("bytes", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole),
            ("bytes=1", .whole), ("bytes=+1-2", .whole), ("bytes=1 - 2", .whole), ("bytes=0x1-2", .whole),
            ("items=0-4", .whole),
            ("bytes=0-1,x", .whole), ("bytes=0-5,5-9", .whole), ("bytes=0-,0-,0-", .whole),
            ("bytes=0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14", .parts((0..<8).map { $0 * 2..<($0 * 2 + 1) })),
            ("bytes=0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16", .whole),
        ] as [(String, HTTPRange)])
    func ranges(field: String, range: HTTPRange) {
        #expect(HTTPRange(field: field, count: 100) == range)
    }

    @Test("Range counts for GET only, and once (§14.2); an empty representation has no bytes to range over")
    func rangeMethods() {
        #expect(HTTPRange(Self.get(["Range": "bytes=0-1"]), count: 9) == .parts([0..<2]))
        #expect(HTTPRange(Self.get(["Range": "bytes=0-1"], method: "HEAD"), count: 9) == .whole)
        #expect(HTTPRange(Self.get(["Range": "bytes=0-1", "range": "bytes=0-1"]), count: 9) == .whole)
        #expect(HTTPRange(field: "bytes=0-", count: 0) == .unsatisfiable)
        #expect(HTTPRange(field: "bytes=-1", count: 0) == .unsatisfiable)
    }

    // MARK: Negotiation

    @Test(
        "Accept-Encoding chooses the coding (§12.5.3)",
        arguments: [
            (nil, .identity, .identity), ("", .identity, .identity), ("gzip", .gzip, .identity),
            ("x-gzip", .gzip, .identity),
            ("GZip;Q=0.5", .gzip, .identity), ("br, deflate", .identity, .identity), ("*", .gzip, .identity),
            ("gzip;q=0", .identity, .identity), ("gzip;q=0.000", .identity, .identity), ("*;q=0", .none, .none),
            ("identity;q=0", .none, .none), ("identity;q=0, gzip", .gzip, .none), ("*;q=0, gzip", .gzip, .none),
            ("*;q=0, identity", .identity, .identity), ("gzip;q=0.2, identity;q=0.8", .identity, .identity),
            ("gzip;q=0.8, identity;q=0.2", .gzip, .identity), ("gzip ; q=1", .gzip, .identity),
            ("gzip;q=2", .identity, .identity), ("gzip;q=abc", .identity, .identity),
            ("gzip;q=0.1234", .identity, .identity),
            ("gzip;q=1.001", .identity, .identity), ("gzip, gzip;q=0", .gzip, .identity),
            ("br;q=1, *;q=0.1", .gzip, .identity),
        ] as [(String?, HTTPNegotiation.Coding, HTTPNegotiation.Coding)])
    func coding(field: String?, withGzip: HTTPNegotiation.Coding, without: HTTPNegotiation.Coding) {
        let fields: HTTPHeaders = field.map { ["Accept-Encoding": $0] } ?? [:]
        #expect(HTTPNegotiation.coding(for: fields, hasGzip: true) == withGzip)
        #expect(HTTPNegotiation.coding(for: fields, hasGzip: false) == without)
    }

    @Test("only who names text/html gets a page")
    func accept() {
        #expect(HTTPNegotiation.names("text/html", in: ["Accept": "text/html,application/xml;q=0.9,*/*;q=0.8"]))
        #expect(!HTTPNegotiation.names("text/html", in: ["Accept": "*/*"]))
        #expect(!HTTPNegotiation.names("text/html", in: ["Accept": "text/html;q=0"]))
        #expect(!HTTPNegotiation.names("text/html", in: [:]))
    }

    // MARK: Origins

    @Test(
        "a page belongs to a server when host and port are the same, the default port written or not",
        arguments: [
            ("https://campus.example", "campus.example", false, true),
            ("http://campus.example", "campus.example", false, true),
            ("https://campus.example", "campus.example:443", false, true),
            ("https://campus.example:443", "campus.example", false, true),
            ("http://campus.example:80", "CAMPUS.example.", false, true),
            ("https://campus.example:8443", "campus.example:8443", false, true),
            ("http://[::1]:8080", "[::1]:8080", false, true), ("https://campus.example", "campus.example", true, true),
            ("http://campus.example", "campus.example", true, false),
            ("http://campus.example", "campus.example:443", false, false),
            ("https://campus.example", "campus.example:80", false, false),
            ("https://campus.example:8443", "campus.example", false, false),
            ("https://campus.example.evil", "campus.example", false, false),
            ("https://evilcampus.example", "campus.example", false, false), ("https://[::2]", "[::1]", false, false),
        ])
    func ownOrigin(origin: String, host: String, isSecure: Bool, isOwn: Bool) throws {
        let origin = try #require(HTTPOrigin(origin))
        #expect(origin.isOwn(host: try #require(HTTPAuthority(host)), isSecure: isSecure) == isOwn)
    }

    @Test("a host may end in the root's dot, but not in an empty label")
    func rootDot() {
        #expect(HTTPAuthority("campus.example.")?.host == "campus.example")
        for text in ["campus.example..", ".", ".."] { #expect(HTTPAuthority(text) == nil, "\(text)") }
    }

    @Test(
        "what is no origin is none (RFC 6454 §6.1)",
        arguments: [
            "null", "", "campus.example", "https://", "https:campus.example", "ftp://campus.example", "file://",
            "https://campus.example/", "https://campus.example/path", "https://user@campus.example",
            "https://campus.example https://evil.example", "https://campus.example,https://evil.example",
            "https://campus.example:99999", "https://campus.example#x", "javascript:alert(1)",
            "https://campus%2eexample", "https://[::1", "https://cämpus.example",
        ])
    func noOrigin(text: String) {
        #expect(HTTPOrigin(text) == nil)
    }
}
