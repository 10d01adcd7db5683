import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@testable import CampanileClient

@Suite("One registry of codes, for server, web app, Swift client and article")
struct RegistryTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: TestServer.root.appendingPathComponent(path), encoding: .utf8)
    }

    private func numbers(_ text: Substring) -> Set<Int> {
        Set(text.matches(of: /-?\d{4,5}\b/).compactMap { Int($0.output) })
    }

    @Test("The web app decides by the generated close codes, which give up where the client is to be fixed")
    func webCloses() throws {
        let source = try text("Sources/WebApp/client/backoff.js")
        #expect(source.contains("closeCodes") && numbers(source[...]).isEmpty)
        let generated = try text("Sources/WebApp/client/registry.js")
        func codes(_ reconnect: String) -> Set<Int> {
            Set(
                generated.matches(of: /code: (\d+), reconnect: "(\w+)"/).filter { $0.2 == reconnect }
                    .compactMap { Int($0.1) })
        }
        #expect(codes("never") == [1002, 1003, 1007, 1008, 1009])
        #expect(codes("afterSignIn") == [Int(CampanileCloseCode.tokenRevoked.rawValue)])
        #expect(codes("immediately") == [Int(CampanileCloseCode.tooSlow.rawValue)])
    }

    @Test("The article has the reason of a restarting server, and the longest wait that a client accepts")
    func articleRestart() throws {
        let article = try text("Sources/campanile/Documentation.docc/Protocol.md")
        #expect(article.contains("`restart; \(RestartNotice.delayKey)N`"))
        #expect(article.contains("at most \(RestartNotice.waitMillisecondsMax / 1_000),000 milliseconds"))
    }

    @Test("The web app has words for exactly the causes of Wire, and the article lists them")
    func signOutCauses() throws {
        let source = try text("Sources/WebApp/connection/signoutwords.js")
        let names = Set(source.matches(of: /(\w+): \{ text: "/).map { String($0.1) })
        #expect(names == Set(SignOutCause.allCases.map(\.rawValue)))
        let article = try text("Sources/campanile/Documentation.docc/Protocol.md")
        #expect(article.contains("`signed out; cause=C`"))
        let section = try #require(article.range(of: "`signed out; cause=C`"))
        let listed = article[section.upperBound...].prefix { $0 != "\n" }.matches(of: /`(\w+)` \(/).map { String($0.1) }
        #expect(Set(listed) == names)
    }

    @Test("The Swift client stays away after exactly the codes that the web app does not retry as the same user")
    func swiftCloses() {
        #expect(
            ResilientClient.finalCloseCodes
                == [1002, 1003, 1007, 1008, 1009, CampanileCloseCode.tokenRevoked.rawValue])
    }

    @Test("Every number of the article's close codes is one of RFC 6455's or Wire's")
    func articleCloses() throws {
        let article = try text("Sources/campanile/Documentation.docc/Protocol.md")
        let section = try #require(article.range(of: "## Close codes"))
        let own = numbers(article[section.upperBound...]).filter { $0 >= 4_000 }
        #expect(own == Set(CampanileCloseCode.allCases.map { Int($0.rawValue) }))
    }
}
