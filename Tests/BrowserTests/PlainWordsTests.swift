import APIDescription
import Foundation
import Server
import TestSupport
import Testing

extension Web {
    @Suite("What the server says, as people read it")
    struct PlainWordsTests {
        @Test("People read of no method, whichever of all there are a message points to")
        func methods() async throws {
            let names = MethodCatalogue.methods.filter { !$0.isForTests }.map(\.name)
                .filter { $0.wholeMatch(of: /[a-z]+\.[A-Za-z]+/) != nil }
            #expect(names.count > 100)
            let list = String(decoding: try JSONEncoder().encode(names), as: UTF8.self)
            let result = try await Web.logic(
                """
                const { plainMessage } = await import("/app/connection/plainwords.js");
                const named = \(list).filter((name) => plainMessage(1003, `there is no such thing of yours: ${name} lists those that work`) !== "There is no such thing of yours.");
                check("methods that people read of", named, []);
                check("what to do stays", plainMessage(1004, "your location is not known yet, so send it first: location.report takes it"), "Your location is not known yet, so send it first.");
                """)
            #expect(result == "ok")
        }
    }
}
