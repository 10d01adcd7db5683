import APIDescription
import Campus
import Foundation
import Hub
import HubCore
import Server
import TestSupport
import Testing
import Wire

@Suite("The articles of the protocol have what is on the wire")
struct ProtocolArticleTests {
    private let article: ProtocolArticle

    init() throws { article = try ProtocolArticle() }

    /// Members that the article describes otherwise than the types declare them.
    private static let exceptions: Set<String> = [
        // Missing ones are read as empty, so that the person is told in the words of U-1.
        "account.register username", "account.register email", "account.register password", "account.login email",
        "account.login password", "account.accept password", "account.requestReset email",
        "account.registerOpenID message", "account.reset password",
        "admin.welcomeUser password",
        // Of the result: only some methods say a message, an answer's location comes with its own methods, and this server always
        // lists invitations.
        "account.login message", "account.accept message", "account.passkeyLogin message",
        "account.secondFactor message", "account.register message", "tracking.start message",
        "tracking.pause message", "tracking.resume message", "tracking.stop message", "tracking.rename message",
        "tracking.audience message", "sharing.ask location", "sharing.withMe invitations",
    ]

    private func members(_ shape: WireShape) -> [WireShape.Member] {
        if case .object(let members) = shape { members } else { [] }
    }

    /// What a cell has between backticks, with the members of the types that it names.
    private func expanded(_ cell: String) -> String {
        let spans = ProtocolArticle.spans(of: cell)
        return (spans + spans.compactMap { article.members(of: $0) }.flatMap { $0 }).joined(separator: " ")
    }

    private func names(_ member: WireShape.Member, in text: String) -> Bool {
        let pattern = "(?<![\\w?.])\(member.name)" + (member.isOptional ? "\\?" : "(?![\\w?])")
        return text.range(of: pattern, options: .regularExpression) != nil
    }

    // MethodReference has every method; a row of this article adds what its declaration does not say.

    @Test("The row of each method has each of its parameters, and `?` behind those that may be left out")
    func parameters() throws {
        for method in MethodCatalogue.methods {
            guard let row = article.row(of: method.name) else { continue }
            // `subscribe` has two rows, of which the first has all parameters.
            let text = expanded(row.params)
            for member in members(method.params) where !Self.exceptions.contains("\(method.name) \(member.name)") {
                #expect(
                    names(member, in: text),
                    "`\(method.name)`: `\(member.name)\(member.isOptional ? "?" : "")` is not among its parameters")
            }
        }
    }

    @Test("The row of each method has each member of its result, and `?` behind those that may be left out")
    func results() throws {
        for method in MethodCatalogue.methods where method.name != Subscribe.name {
            guard let row = article.row(of: method.name) else { continue }
            var text = expanded(row.result)
            if row.result.hasPrefix("the same") { text += expanded(row.params) }
            if let other = row.result.firstMatch(of: /^as `([a-zA-Z.]+)`/) {
                text += expanded(article.row(of: String(other.1))?.result ?? "")
            }
            for member in members(WireShape.of(method.result))
            where !Self.exceptions.contains("\(method.name) \(member.name)") {
                #expect(
                    names(member, in: text),
                    "`\(method.name)`: `\(member.name)\(member.isOptional ? "?" : "")` is not in its result")
            }
        }
    }

    @Test("Each type that the article defines has the members that the code has")
    func types() {
        var compared = 0
        for (name, declared) in NamedTypes.members {
            // The article calls it by its short name.
            guard let defined = article.members(of: name == "TrackPoint" ? "Point" : name) else { continue }
            compared += 1
            #expect(defined == declared, "`\(name)` differs in \(defined.symmetricDifference(declared).sorted())")
        }
        #expect(compared > 30)
    }

    @Test("Each type that the article names is defined in an article")
    func definitions() throws {
        // The reference has types without their meaning.
        let articles = try ProtocolArticle.names().filter { $0 != "MethodReference" }.map {
            try ProtocolArticle([$0])
        }
        let listed = Set(
            articles.flatMap(\.rows).compactMap { $0.first }.flatMap { [$0] + ProtocolArticle.spans(of: $0) })
        let others: Set = [
            // Fields of HTTP and a word of GeoJSON.
            "Accept", "Allow", "Polygon", "Host", "Range", "Upgrade", "Connection", "Link",
        ]
        var named: Set<String> = []
        for span in ProtocolArticle.spans(of: article.text.replacing(/```[^`]*```/, with: "")) {
            if let word = span.wholeMatch(of: /[A-Z][a-z]+[A-Za-z]*/) { named.insert(String(word.output)) }
            if span.hasPrefix("{") {
                named.formUnion(span.matches(of: /[:\[]\s*\[?([A-Z][a-z][A-Za-z]*)/).map { String($0.1) })
            }
        }
        #expect(named.count > 80, "\(named.sorted())")
        for name in named.subtracting(others).sorted() {
            #expect(
                listed.contains(name) || articles.contains { $0.members(of: name) != nil },
                "`\(name)` is defined nowhere: `\(name)` is `{…}`")
        }
    }

    @Test("Each topic is in the article")
    func topics() {
        for form in Topic.examples.map(\.form) {
            #expect(
                article.text.contains("`\(form)`") || article.text.contains("\"\(form)\""),
                "\(form) is not in Protocol.md")
        }
    }

    @Test("The section Values lists exactly the values of each enumeration of the wire")
    func values() throws {
        let wire = try ["Sources/Wire", "Sources/Wire/Routes", "Sources/Wire/Training"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: TestServer.root.appendingPathComponent(folder).path)
                .filter { $0.hasSuffix(".swift") }.sorted().flatMap {
                    try SourceEnumerations.declared(in: "\(folder)/\($0)")
                }
        }
        let others =
            try SourceEnumerations.declared(in: "Sources/Services/Tracking/TimeRules.swift")
            + SourceEnumerations.declared(in: "Sources/Campus/Document/CampusDocument.swift").filter {
                $0.name != "WheelchairAccess"
            }
        #expect(wire.count > 40 && others.count == 3)
        let listed = try article.values
        for (name, values) in wire + others {
            #expect(!values.isEmpty, "\(name)")
            #expect(
                listed.contains { $0.values == values }, "Protocol.md, Values, has no row for \(name): \(values)")
        }
        for row in listed {
            #expect(
                (wire + others).contains { $0.values == row.values },
                "Protocol.md, Values: \(row.type) is not what the code has")
        }
    }

    @Test("Kinds of account.data, actions of the audit log, times and limits of buddies are those of the code")
    func words() throws {
        let spans = Set(ProtocolArticle.spans(of: article.text))
        func source(_ path: String) throws -> String {
            try String(contentsOf: TestServer.root.appendingPathComponent("Sources/Services/\(path)"), encoding: .utf8)
        }
        let kinds = try ["PersonalDataKind", "PersonalDataKind+Training"].flatMap {
            try source("PersonalData/\($0).swift").matches(of: /\n +name: "(\w+)"/).map { "\($0.1)" }
        }
        #expect(kinds.count > 30)
        let paragraph = try #require(article.text.firstMatch(of: /Kinds of `account\.data`, in this order: ([^.]*)\./))
        #expect(ProtocolArticle.spans(of: paragraph.1) == kinds)
        let actions = try [
            "Admin/Administration.swift", "Admin/Administration+Users.swift", "CampusMap/Places.swift",
            "CampusMap/Places+Zones.swift", "Events/Events.swift", "Safety/Safety+Admin.swift",
            "PersonalData/PersonalData+Erasing.swift",
        ].flatMap { try source($0).matches(of: /"((?:user|place|zone|report|event)\.[a-z]\w*)"/).map { "\($0.1)" } }
        #expect(actions.count > 15)
        #expect(spans.isSuperset(of: actions), "\(Set(actions).subtracting(spans))")
        let times = try #require(source("Buddies/BuddyCatalogue.swift").split(separator: "enum WeekTimes").last)
            .split(separator: "private static let ids")[0].matches(of: /\("(\w+)", "/)
        #expect(times.count == 13 && spans.isSuperset(of: times.map { "\($0.1)" }))
    }
}
