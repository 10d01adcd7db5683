import Foundation
import Testing

@testable import Wire

@Suite("Ranges of what is on the wire")
struct RangeTests {
    private func refusal<Params: Decodable>(_ type: Params.Type, _ params: String) -> RPCError? {
        do {
            _ = try RawRequest(Array(#"{"jsonrpc":"2.0","id":1,"method":"m","params":\#(params)}"#.utf8)).params(type)
            return nil
        } catch { return error as? RPCError }
    }

    @Test(
        "a number beyond its range is refused at decoding, with the member's name and what is allowed",
        arguments: [
            (#"{"event":9223372036854775807,"revision":1}"#, "event", "-9007199254740991 to 9007199254740991"),
            (#"{"event":9007199254740992,"revision":1}"#, "event", "-9007199254740991 to 9007199254740991"),
            (#"{"event":1e18,"revision":1}"#, "event", "-9007199254740991 to 9007199254740991"),
            (#"{"event":0,"revision":1}"#, "event", "a whole number from 1 to 9007199254740991"),
            (#"{"event":-1,"revision":1}"#, "event", "a whole number from 1 to 9007199254740991"),
            (#"{"event":1.5,"revision":1}"#, "event", "a whole number from 1 to 9007199254740991"),
            (#"{"event":1,"revision":2147483647}"#, "revision", "a whole number from 0 to 2147483646"),
            (#"{"event":1,"revision":-9223372036854775808}"#, "revision", "-9007199254740991 to 9007199254740991"),
        ])
    func revisions(params: String, field: String, allowed: String) throws {
        let error = try #require(refusal(EventsUpdate.Params.self, params))
        #expect(error.registered == .invalidParams && error.data?.field == field)
        #expect(error.message.contains(allowed), "\(error.message)")
    }

    @Test(
        "the ends of a range are within it, optional members may be missing or null, and arrays are checked one by one")
    func within() throws {
        struct Holder: Codable, Equatable {
            @ObjectID var id: Int64
            @Count var limit: Int?
            @LogOffset var offsets: [Int64]?
            @Latitude var lat: Double?
            @Quantity var shape: [[Double]]?
        }
        #expect(refusal(Holder.self, #"{"id":9007199254740991,"limit":2147483647,"lat":-90}"#) == nil)
        #expect(refusal(Holder.self, #"{"id":1,"limit":null,"offsets":[0,9007199254740991],"lat":90.0}"#) == nil)
        #expect(refusal(Holder.self, "{}")?.message == "id: is missing")
        #expect(refusal(Holder.self, #"{"id":null}"#)?.message == "id: must not be null")
        #expect(refusal(Holder.self, #"{"id":"7"}"#)?.message == "id: has the wrong type, expected a whole number")
        #expect(refusal(Holder.self, #"{"id":1,"offsets":[0,-1]}"#)?.data?.field == "offsets[1]")
        #expect(refusal(Holder.self, #"{"id":1,"shape":[[0],[1,1e16]]}"#)?.data?.field == "shape[1][1]")
        #expect(refusal(Holder.self, #"{"id":1,"lat":90.1}"#)?.message == "lat: must be a number from -90 to 90")
        let holder = Holder(id: 7, limit: nil, offsets: [1], lat: 1, shape: nil)
        let json = try WireJSON.encode(holder)
        #expect(!String(decoding: json, as: UTF8.self).contains("limit"))
        #expect(try WireJSON.decode(Holder.self, from: json) == holder)
    }

    @Test(
        "a magnitude below the smallest unit is zero", arguments: ["5e-324", "-5e-324", "1e-310", "9e-13", "0", "-0.0"])
    func tiny(text: String) throws {
        let request = try RawRequest(
            Array(#"{"jsonrpc":"2.0","method":"m","params":{"lat":\#(text),"lon":1e-12,"box":[\#(text),0,0,0]}}"#.utf8))
        let params = try request.params(CampusLocate.Params.self)
        #expect(params.lat == 0 && params.lon == 1e-12)
        #expect(try request.viewParams().box == [0, 0, 0, 0])
    }

    @Test(
        "JSON that readers disagree on is refused by the name of its member, with the request's id",
        arguments: [
            (#"{"a":{"bc":[1,{"lat":1e400}]}}"#, "a.bc[1].lat", "must be a number from"),
            (#"{"a":-9007199254740992}"#, "a", "must be a number from"),
            (#"{"a":[0,90071992547409920]}"#, "a[1]", "must be a number from"),
            (#"{"a":"x\u0000y"}"#, "a", "NUL"),
            (#"{"a":1,"b":2,"a":3}"#, "a", "twice"),
            (#"{"a":{"cat":1,"c\u0061t":3}}"#, "a", "twice"),
            (#"{"\u0000":1}"#, "params", "NUL"),
            (#"{"not a member 7":1e400}"#, "params", "must be a number from"),
            ("1e400", "params", "must be a number from"),
        ])
    func faults(params: String, field: String, text: String) throws {
        let request = try RawRequest(Array(#"{"jsonrpc":"2.0","id":1,"method":"m","params":\#(params)}"#.utf8))
        #expect(request.id == .number(1))
        let error = #expect(throws: RPCError.self) { try request.params(Empty.self) }
        #expect(error?.registered == .invalidParams && error?.data?.field == field, "\(error as Any)")
        #expect(error?.message.contains(text) == true)
    }

    @Test("what is wrong outside the parameters makes it no request")
    func head() {
        for (json, field) in [
            (#"{"jsonrpc":"2.0","id":9007199254740992,"method":"m"}"#, "id"),
            (#"{"jsonrpc":"2.0","id":"\u0000","method":"m"}"#, "id"),
            (#"{"jsonrpc":"2.0","method":"m","more":{"x":[1e999]}}"#, "more.x[0]"),
        ] {
            let error = #expect(throws: RPCError.self) { try RawRequest(Array(json.utf8)) }
            #expect(error?.registered == .invalidRequest && error?.data?.field == field, "\(error as Any)")
        }
    }

    @Test("a string has at most 65,536 bytes, and an object 64 members")
    func lengths() {
        let text = String(repeating: "x", count: 65_534)
        #expect(refusal(Empty.self, #"{"a":"\#(text)"}"#) == nil)
        #expect(refusal(Empty.self, #"{"a":"\#(text)x"}"#)?.message == "a: is longer than 65536 bytes")
        func object(_ count: Int) -> String { "{" + (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") + "}" }
        #expect(refusal(Empty.self, object(64)) == nil)
        #expect(refusal(Empty.self, object(65))?.message.contains("64 members") == true)
        #expect(refusal(Empty.self, #"{"a":[\#(object(64)),\#(object(64))]}"#) == nil)
        #expect(refusal(Empty.self, #"{"a":[\#(object(64)),\#(object(65))]}"#)?.data?.field == "a[1]")
    }

    @Test("moving a time by any number of seconds neither traps nor leaves the range of what is kept")
    func times() {
        let now = Timestamp(milliseconds: 1_795_000_000_007)
        #expect(now.advanced(bySeconds: .infinity).milliseconds == .max)
        #expect(now.advanced(bySeconds: -.greatestFiniteMagnitude).milliseconds == .min)
        #expect(now.advanced(bySeconds: .nan) == now)
        #expect(now.advanced(bySeconds: 1e16).milliseconds == .max)
        #expect(Timestamp(milliseconds: .max).seconds(since: Timestamp(milliseconds: .min)) > 1e16)
        #expect(now.advanced(bySeconds: 0.0015).milliseconds == now.milliseconds + 2)
    }

    @Test("the Protocol article lists every range")
    func article() throws {
        let article = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Sources/campanile/Documentation.docc/Protocol.md"), encoding: .utf8)
        func row<Range: WireRange>(_ name: String, _ range: Range.Type) -> String {
            let (low, high) = (
                Range.Number.text(Range.allowed.lowerBound), Range.Number.text(Range.allowed.upperBound)
            )
            return "| \(name) | \(Range.Number.self == Double.self ? "" : "whole, ")\(low) to \(high) |"
        }
        for row in [
            row("ObjectID", ObjectIDRange.self), row("LogOffset", LogOffsetRange.self),
            row("LogEpoch", LogEpochRange.self), row("Revision", RevisionRange.self), row("Count", CountRange.self),
            row("Latitude", LatitudeRange.self), row("Longitude", LongitudeRange.self),
            row("Seconds", SecondsRange.self), row("Quantity", QuantityRange.self),
        ] { #expect(article.contains(row), "\(row)") }
    }
}
