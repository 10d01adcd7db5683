import Testing

@testable import WebSocket

@Suite("Sec-WebSocket-Extensions (RFC 6455 §9.1)")
struct ExtensionListTests {
    private func parsed(_ fields: String...) -> String? {
        WebSocketExtension.parse(fields)?.map { describe($0) }.joined(separator: " ")
    }

    private func describe(_ element: WebSocketExtension) -> String {
        var text = element.name
        for parameter in element.parameters {
            text += ";" + parameter.name
            if let value = parameter.value { text += "=<\(value)>" }
        }
        return text
    }

    @Test("elements, parameters, tokens and quoted tokens are told apart, also over several fields")
    func valid() {
        #expect(parsed() == "")
        #expect(parsed("foo") == "foo")
        #expect(parsed("foo; a; b=2, bar") == "foo;a;b=<2> bar")
        #expect(parsed("foo", "bar;x=\"10\"") == "foo bar;x=<10>")
        #expect(parsed("foo;a=\"b\\c\"") == "foo;a=<bc>")
        #expect(parsed(" \tfoo ;\ta = b\t, , bar ,") == "foo;a=<b> bar")
    }

    @Test(
        "what breaks the grammar is told apart from what is unknown",
        arguments: [
            "", " ", ",", ", ,", ";", "foo;", "foo;;a", "foo; =1", "foo;a=", "foo;a=\"\"", "foo;a=\"b", "foo;a=\"b c\"",
            "foo;a=\"b,c\"", "foo;a=\"b\\", "foo;a=\"b\"c", "foo bar", "foo;a b", "foo;a=b=c", "f@o", "foo;a=(b)",
            "\"foo\"", "foo=1", "föö",
        ])
    func invalid(field: String) {
        #expect(WebSocketExtension.parse([field]) == nil)
        #expect(WebSocketExtension.parse(["foo", field]) == nil)
    }
}
