import Foundation
import TestSupport
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

    @Test("times are written as Foundation writes them, leap days and the ends of what there is included")
    func timesAsFoundationWrites() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var generator = SeededGenerator(seed: 20)
        var moments: [Int64] = [0, 1, 999, 951_782_399_999, 951_782_400_000, 1_709_164_800_000, 253_402_300_799_999]
        for _ in 0..<2_000 { moments.append(.random(in: Timestamp.millisecondsRange, using: &generator)) }
        for moment in moments {
            let date = Date(timeIntervalSince1970: Double(moment) / 1_000 + 0.000_3)
            #expect(Timestamp(milliseconds: moment).description == style.format(date))
        }
        #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: .min).description == "1970-01-01T00:00:00.000Z")
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
            _ = try RawRequest(Array(json.utf8)).params(TrackingPoints.Params.self)
            return nil
        } catch { return error as? RPCError }
    }

    @Test("an error in the parameters names the member at fault and never repeats its value")
    func errorsNameTheMember() throws {
        let missing = try #require(
            error(
                decoding:
                    #"{"jsonrpc":"2.0","method":"m","params":{"session":1,"points":[{"seq":1,"lat":1,"time":"x"}]}}"#))
        #expect(missing.data?.field == "points[0].lon" && missing.registered == .invalidParams)
        let wrong = try #require(
            error(decoding: #"{"jsonrpc":"2.0","method":"m","params":{"session":"SECRET","points":[]}}"#))
        #expect(wrong.message == "session: has the wrong type, expected a whole number")
        #expect(!wrong.message.contains("SECRET"))
        let time = try #require(
            error(
                decoding:
                    #"{"jsonrpc":"2.0","method":"m","params":{"session":1,"points":[{"seq":1,"lat":1,"lon":2,"time":"noon"}]}}"#
            ))
        #expect(time.data?.field == "points[0].time" && time.message.contains("RFC 3339"))
        #expect(error(decoding: "{nonsense")?.registered == .parseError)
    }

    @Test(
        "a request's head says what is wrong with it",
        arguments: [
            (#"[]"#, "object"), (#"{"method":"x"}"#, "jsonrpc"), (#"{"jsonrpc":"2.0"}"#, "method"),
            (#"{"jsonrpc":"2.0","method":"x","id":{}}"#, "id"), (#"{"jsonrpc":"2.0","method":"x","id":1.5}"#, "id"),
            (#"{"jsonrpc":"2.0","method":"x","id":1,"\u0069d":2}"#, "once"),
            (#"{"jsonrpc":"2.0","method":"x","method":"y"}"#, "once"), (#"{"jsonrpc":"2.1","method":"x"}"#, "jsonrpc"),
            (#"{"jsonrpc":2.0,"method":"x"}"#, "jsonrpc"), (#""x""#, "object"),
        ])
    func headErrors(json: String, word: String) {
        let error = #expect(throws: RPCError.self) { try RawRequest(Array(json.utf8)) }
        #expect(error?.registered == .invalidRequest)
        #expect(error?.message.contains(word) == true)
    }

    @Test(
        "a request is the same however its strings are escaped and its members ordered",
        arguments: [
            #"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1}}"#,
            #" { "params" : {"a":1} , "method" : "\u0070ing" , "i\u0064" : 7 , "jsonrpc" : "2\u002e0" } "#,
            #"{"method":"ping","jsonrpc":"2.0","id":7,"x":{"id":8},"params":{"a":1}}"#,
        ])
    func sameRequest(json: String) throws {
        let request = try RawRequest(Array(json.utf8))
        #expect(request.method == "ping" && request.id == .number(7))
        #expect(try request.params([String: Int].self) == ["a": 1])
    }

    @Test("ids of all kinds are read, and missing parameters are an empty object")
    func ids() throws {
        for (json, id) in [
            ("\"a\\n\"", RequestID.string("a\n")), ("null", .null), ("-9", .number(-9)), ("\"7\"", .string("7")),
            ("7e0", .number(7)),
        ] {
            let request = try RawRequest(Array(#"{"jsonrpc":"2.0","method":"m","id":\#(json)}"#.utf8))
            #expect(request.id == id)
            _ = try request.params(Empty.self)
        }
        #expect(try RawRequest(Array(#"{"jsonrpc":"2.0","method":"m"}"#.utf8)).id == nil)
    }

    @Test("parameters that are no object are named as what is at fault")
    func noObject() throws {
        for json in ["7", "\"x\"", "[]"] {
            let request = try RawRequest(Array(#"{"jsonrpc":"2.0","method":"m","params":\#(json)}"#.utf8))
            let error = #expect(throws: RPCError.self) { try request.params(TrackingPoints.Params.self) }
            #expect(error?.data?.field == "params" && error?.registered == .invalidParams)
        }
    }

    @Test(
        "what a map shows is read as the decoder reads it, errors too",
        arguments: [
            #"{"box":[47.1,-8.5,47.2,8.6],"zoom":15.5,"encoding":"binary"}"#, #"{"zoom":1e1,"box":[0,-0.0,1E-2,5]}"#,
            #"{"box":null}"#, "{}", #"{"box":[],"zoom":0}"#, #"{"box":[1,"2"]}"#, #"{"zoom":"3"}"#,
            #"{"encoding":"xml"}"#,
            #"{"encoding":null,"zoom":null}"#, #"{"b\u006fx":[1,2,3,4]}"#, #"{"box":[1e400]}"#, #"{"box":7}"#,
            #"{"box":[1,[2]],"other":{"box":[1]}}"#, "[]", "7", #"{"box":[0.1,2,3,4],"zoom":12345678901234567890}"#,
        ])
    func viewParams(json: String) throws {
        let request = try RawRequest(Array(#"{"jsonrpc":"2.0","method":"m","params":\#(json)}"#.utf8))
        func read(_ body: () throws -> PositionsView.Params) -> String {
            do {
                let params = try body()
                return "\(params.box as Any) \(params.zoom as Any) \(params.encoding as Any)"
            } catch { return "\(error)" }
        }
        #expect(read { try request.viewParams() } == read { try request.params(PositionsView.Params.self) })
    }

    @Test(
        "a message is read as the decoder reads it, errors too",
        arguments: [
            #"{"conversation":7,"id":"x","text":"hello"}"#,
            #"{"text":"a\nb \u00e9 \ud83d\ude00","id":"x","conversation":7}"#,
            #"{"conversation":7,"id":"x","picture":"p","reply":3,"more":[1,{}]}"#, "{}", "[]", "7",
            #"{"conversation":7.0,"id":"x"}"#, #"{"conversation":7.5,"id":"x"}"#, #"{"conversation":-7,"id":"x"}"#,
            #"{"conversation":"7","id":"x"}"#, #"{"conversation":7,"id":8}"#, #"{"conversation":7,"id":null}"#,
            #"{"conversation":7,"id":"x","text":null,"picture":null,"reply":null}"#, #"{"conversation":1e1,"id":"x"}"#,
            #"{"conversation":7,"id":"x","text":{"a":1}}"#, #"{"conversation":7,"id":"x","reply":"3"}"#,
            #"{"conversation":7,"id":"x","text":"one","text":"two"}"#,
            #"{"conversation":9223372036854775807,"id":"x"}"#,
            #"{"conversation":9223372036854775808,"id":"x"}"#, #"{"c\u006fnversation":7,"id":"x"}"#,
            #"{"conversation":7,"id":"x","a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"text":"far"}"#,
        ])
    func sendParams(json: String) throws {
        let request = try RawRequest(Array(#"{"jsonrpc":"2.0","method":"m","params":\#(json)}"#.utf8))
        func read(_ body: () throws -> ChatSend.Params) -> String {
            do { return "\(try body())" } catch { return "\(error)" }
        }
        #expect(read { try request.sendParams() } == read { try request.params(ChatSend.Params.self) })
    }

    @Test("what writes itself is what the encoder writes: replies, signals, with everything and with nothing")
    func writables() throws {
        func same(_ value: some JSONWritable) throws {
            let encoder = JSONEncoder()
            let written = try JSONSerialization.jsonObject(with: Data(WireJSON.encode(value))) as? NSDictionary
            let encoded = try JSONSerialization.jsonObject(with: encoder.encode(value)) as? NSDictionary
            #expect(written != nil && written == encoded)
        }
        let hostile = "\u{0}\"\\\n\r\t\u{1F}\u{7F} é 👩🏽‍🚀 </script>\u{2028}"
        let at = Timestamp(milliseconds: 1_795_000_000_007)
        for id in [RequestID.number(-7), .number(.min), .string(hostile), .null] {
            try same(Success(id: id, result: ChatPosition(conversation: 1, epoch: .max, offset: nil)))
        }
        try same(Success(id: .number(10), result: ChatPosition(conversation: 1, epoch: 2, offset: 100, at: at)))
        let last = LastMessage(
            offset: 9, by: 10, name: hostile, at: at, text: hostile, picture: true, deleted: false)
        try same(UserSignal(type: .message, conversation: 1, offset: 9, message: last))
        let bare = LastMessage(offset: 9, by: 10, name: "", at: at, text: nil, picture: false, deleted: true)
        try same(UserSignal(type: .message, conversation: 1, offset: 9, message: bare))
        for kind in UserSignal.Kind.allCases { try same(UserSignal(type: kind)) }
        var error = RPCError(.rateLimited, hostile, field: hostile, retryAfter: 0.1, reference: hostile)
        try same(Failure(id: .null, error: error))
        error.data?.retryAfter = 5e-324
        try same(Failure(id: .string(hostile), error: error))
        try same(Failure(id: .number(1), error: RPCError(.notFound, "nothing")))
        error.data = nil
        error.code = .min
        try same(Failure(id: .number(.max), error: error))
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
            try RawRequest(Array(json.utf8)).params(Empty.self)
        }
        #expect(error?.registered == .parseError)
        #expect(throws: RPCError.self) { try WireJSON.splitBatch(Array("[\(json)]".utf8), countMax: 2) }
    }

    @Test(
        "all that is JSON is read",
        arguments: [
            #"{"jsonrpc":"2.0","method":"m","params":{},"x":[-0.5E+10,0,1e-2,[],{},[{}],null,true,false,"\"\\\/\b\f\n\r\t\u0001\ud83d\udd14 é"]}"#,
            " \n\r\t{ \"jsonrpc\" : \"2.0\" , \"method\" : \"m\" , \"params\" : { } , \"x\" : [ 1 , 2 ] } ",
            #"{"jsonrpc":"2.0","method":"m","params":{},"x":"# + String(repeating: "[", count: 63)
                + String(repeating: "]", count: 63) + "}",
        ])
    func isJSON(json: String) throws {
        _ = try RawRequest(Array(json.utf8)).params(Empty.self)
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
