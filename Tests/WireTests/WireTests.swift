import Foundation
import Testing

@testable import Wire

@Suite("JSON-RPC and wire types")
struct WireTests {
    @Test(
        "a time survives the wire to the millisecond",
        arguments: ["2026-11-20T16:40:00.125Z", "1999-12-31T23:59:59.999Z"])
    func timeRoundTrip(text: String) throws {
        let time = try #require(Timestamp(text))
        #expect(time.description == text)
    }

    @Test("times without a fraction, or with an offset, are understood; others are not")
    func timeForms() {
        #expect(Timestamp("2026-11-20T16:40:00Z")?.milliseconds == Timestamp("2026-11-20T16:40:00.000Z")?.milliseconds)
        #expect(Timestamp("2026-11-20T17:40:00+01:00") == Timestamp("2026-11-20T16:40:00Z"))
        for text in ["", "yesterday", "2026-13-01T00:00:00Z", "1920-01-01T00:00:00Z", "1700000000"] {
            #expect(Timestamp(text) == nil, "\(text)")
        }
    }

    private func error(decoding json: String) -> RPCError? {
        do {
            _ = try WireJSON.decode(ParamsOnly<TrackingPoints.Params>.self, from: Array(json.utf8))
            return nil
        } catch { return error as? RPCError }
    }

    @Test("an error in the parameters names the member at fault and never repeats its value")
    func errorsNameTheMember() throws {
        let missing = try #require(
            error(decoding: #"{"params":{"session":1,"points":[{"seq":1,"lat":1,"time":"x"}]}}"#))
        #expect(missing.data?.field == "points[0].lon" && missing.registered == .invalidParams)
        let wrong = try #require(error(decoding: #"{"params":{"session":"SECRET","points":[]}}"#))
        #expect(wrong.message == "session: has the wrong type, expected a whole number")
        #expect(!wrong.message.contains("SECRET"))
        let time = try #require(
            error(decoding: #"{"params":{"session":1,"points":[{"seq":1,"lat":1,"lon":2,"time":"noon"}]}}"#))
        #expect(time.data?.field == "points[0].time" && time.message.contains("RFC 3339"))
        #expect(error(decoding: "{nonsense")?.registered == .parseError)
    }

    @Test(
        "a request's head says what is wrong with it",
        arguments: [
            (#"[]"#, "object"), (#"{"method":"x"}"#, "jsonrpc"), (#"{"jsonrpc":"2.0"}"#, "method"),
            (#"{"jsonrpc":"2.0","method":"x","id":{}}"#, "id"),
        ])
    func headErrors(json: String, word: String) {
        let error = #expect(throws: RPCError.self) { try WireJSON.decode(RequestHead.self, from: Array(json.utf8)) }
        #expect(error?.registered == .invalidRequest)
        #expect(error?.message.contains(word) == true)
    }

    @Test("a message of 20,000 values is read, one of more is refused before a decoder sees it")
    func values() throws {
        func list(_ item: String, _ count: Int) -> [UInt8] {
            Array(("[" + Array(repeating: item, count: count).joined(separator: ",") + "]").utf8)
        }
        // Brackets and commas are counted: of a list of empty objects, two each.
        for fits in [list("1", 20_000), list("{}", 10_000), list("\"\"", 20_000)] {
            try WireJSON.checkValues(fits)
        }
        for tooMany in [list("1", 20_001), list("{}", 10_001), list("[[]]", 7_000)] {
            let error = #expect(throws: RPCError.self) { try WireJSON.checkValues(tooMany) }
            #expect(error?.registered == .invalidRequest)
        }
    }

    @Test("a batch is split into its requests, and an empty or too large one is refused")
    func batches() throws {
        let parts = try WireJSON.splitBatch(Array(#"[{"a":1},2]"#.utf8), countMax: 2)
        #expect(parts.map { String(decoding: $0, as: UTF8.self) } == [#"{"a":1}"#, "2"])
        #expect(throws: RPCError.self) { try WireJSON.splitBatch(Array("[]".utf8), countMax: 2) }
        #expect(throws: RPCError.self) { try WireJSON.splitBatch(Array("[1,2,3]".utf8), countMax: 2) }
    }

    @Test("a request in a batch keeps its bytes, so it means what it means alone")
    func batchKeepsBytes() throws {
        let request = #"{ "n": 0.1e1, "n": 18446744073709551617, "s": "\u00e9/\ud83d\udd14" }"#
        let parts = try WireJSON.splitBatch(Array("[ \(request) , [] ]".utf8), countMax: 2)
        #expect(parts.map { String(decoding: $0, as: UTF8.self) } == [request, "[]"])
    }

    @Test(
        "what is no JSON is refused, also where nobody looks",
        arguments: [
            #"{"params":{},"x":922337-036854775807}"#, #"{"params":{},"x":{"\#u{FF}":}}"#, #"{"params":{},"x":01}"#,
            #"{"params":{},"x":"\ud800"}"#, #"{"params":{},"x":"\udc00\ud800"}"#, #"{"params":{},}"#,
            #"{"params":{}} ,"#,
            "{\"params\":{},\"x\":\"\t\"}", "\u{FEFF}{\"params\":{}}", #"{"params":{},"x":[1,]}"#,
            #"{"params":{},"x":[,]}"#,
            #"{"params":{},"x":tru}"#, #"{"params":{},"x":1.}"#, #"{"params":{},"x":"\x"}"#,
            #"{"params":{},"x":"# + String(repeating: "[", count: 64) + String(repeating: "]", count: 64) + "}",
        ])
    func notJSON(json: String) throws {
        let error = #expect(throws: RPCError.self) {
            try WireJSON.decode(ParamsOnly<Empty>.self, from: Array(json.utf8))
        }
        #expect(error?.registered == .parseError)
        #expect(throws: RPCError.self) { try WireJSON.splitBatch(Array("[\(json)]".utf8), countMax: 2) }
    }

    @Test(
        "all that is JSON is read",
        arguments: [
            #"{"params":{},"x":[-0.5E+10,0,1e-2,[],{},[{}],null,true,false,"\"\\\/\b\f\n\r\t\u0000\ud83d\udd14 é"]}"#,
            " \n\r\t{ \"params\" : { } , \"x\" : [ 1 , 2 ] } ",
            #"{"params":{},"x":"# + String(repeating: "[", count: 63) + String(repeating: "]", count: 63) + "}",
        ])
    func isJSON(json: String) throws {
        _ = try WireJSON.decode(ParamsOnly<Empty>.self, from: Array(json.utf8))
        #expect(try WireJSON.splitBatch(Array("[\(json)]".utf8), countMax: 1).count == 1)
    }

    @Test("error codes and close codes are unique and named as the Protocol article names them")
    func registryMatchesTheArticle() throws {
        let article = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Sources/campanile/Documentation.docc/Protocol.md"), encoding: .utf8)
        for code in ErrorCode.allCases { #expect(article.contains("| \(code.rawValue) | \(code.name) |"), "\(code)") }
        for code in CampanileCloseCode.allCases { #expect(article.contains("| \(code.rawValue) |"), "\(code)") }
    }
}
