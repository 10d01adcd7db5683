import APIDescription
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore
@testable import Server

@Suite("The disclosure matrix has a row for each outlet and a rule for each source")
struct DisclosureMatrixTests {
    @Test(
        "Every method, kind of topic and reminder channel of the registry has a row, and no row is without its outlet")
    func complete() throws {
        var outlets = Set(MethodCatalogue.methods.map(\.name)).subtracting([Subscribe.name])
        outlets.formUnion(Topic.examples.map(\.form))
        outlets.formUnion(ReminderChannel.allCases.map(\.rawValue) + ["account mail", "error", "close code", "log"])
        let rows = Set(DisclosureMatrix.rows.keys.filter { !$0.hasPrefix("GET /") && !$0.hasPrefix("POST /") })
        #expect(outlets.subtracting(rows).isEmpty, "add a row to DisclosureMatrix and say what it discloses")
        #expect(rows.subtracting(outlets).isEmpty, "no outlet has this name")
    }

    /// Members of results whose names say what they disclose.
    private static let signs: [String: InformationSource] = [
        "lat": .location, "lon": .location, "route": .location, "building": .location, "location": .location,
        "connected": .presence, "online": .presence, "watching": .presence, "watchers": .presence,
        "lastUsedAt": .presence,
        "received": .receipts, "read": .receipts, "delivered": .receipts, "recipients": .receipts,
        "username": .identity, "firstName": .identity, "lastName": .identity, "email": .identity, "birthday": .identity,
        "gender": .identity, "picture": .identity,
        "body": .content, "text": .content,
    ]

    /// Methods whose row is `own` although members of the result name a source: there, these are the caller's own data.
    private static let ownSources: [InformationSource: Set<String>] = [
        .location: [
            // Whether the caller has switched the location off.
            "account.saveSettings", "account.settings",
            "account.profile", "account.updateProfile", "location.clear", "location.mine", "location.report",
            "privacy.saveZone", "privacy.zones", "saved.list",
            "saved.save", "visits.most",
        ],
        .presence: ["account.addPasskey", "account.devices", "account.passkeys", "account.renamePasskey"],
        // The caller's settings of receipts.
        .receipts: ["chat.saveSettings", "chat.settings"],
        .identity: [
            "account.accept", "account.changeEmail", "account.confirmEmail", "account.finishOpenID", "account.login",
            "account.me", "account.passkeyLogin", "account.registerOpenID", "account.profile", "account.updateProfile",
            "account.register", "account.secondFactor", "account.sendConfirmation", "buddies.me", "buddies.save",
            "profile.get", "profile.save", "tracking.audience", "tracking.current", "tracking.history",
            "tracking.pause", "tracking.points", "tracking.rename", "tracking.resume", "tracking.start",
            "tracking.stop",
        ],
        // The rules of the campus, and the caller's own searches.
        .content: ["buddies.options", "searches.list"],
    ]

    @Test("A result with a member that names a source has a rule for that source, or is the caller's own")
    func members() throws {
        for method in MethodCatalogue.methods where method.name != Subscribe.name {
            guard let row = DisclosureMatrix.rows[method.name] else { continue }
            for member in Self.members(of: WireShape.of(method.result)) {
                guard let source = Self.signs[member] else { continue }
                if row.isEmpty {
                    #expect(
                        Self.ownSources[source]?.contains(method.name) == true,
                        "\(method.name) has \(member): give it a rule, or add it to ownSources if it is the caller's own"
                    )
                    continue
                }
                #expect(row[source] != nil, "\(method.name) has \(member): say in DisclosureMatrix what it discloses")
            }
        }
    }

    private static func members(of shape: WireShape) -> Set<String> {
        switch shape {
        case .object(let members):
            members.reduce(into: []) { $0.formUnion(Self.members(of: $1.shape).union([$1.name])) }
        case .array(let element): members(of: element)
        default: []
        }
    }

    @Test("Each rule is attacked by suites that exist")
    func attacks() throws {
        let tests = TestServer.root.appendingPathComponent("Tests")
        var names: Set<String> = []
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: /(?m)^struct (\w+)/).map { String($0.1) })
        }
        for rule in DisclosureRule.allCases {
            #expect(!rule.suites.isEmpty)
            for suite in rule.suites { #expect(names.contains(suite), "\(rule): \(suite)") }
        }
    }

    @Test("The Disclosure article is the matrix")
    func article() throws {
        let article = TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc/Disclosure.md")
        let (begin, end) = ("<!-- begin: written by DisclosureMatrixTests -->\n", "<!-- end -->")
        let text = try String(contentsOf: article, encoding: .utf8)
        let first = try #require(text.range(of: begin)), last = try #require(text.range(of: end))
        let written = Self.tables()
        if ProcessInfo.processInfo.environment["CAMPANILE_WRITE_VECTORS"] != nil {
            try (text[..<first.upperBound] + written + text[last.lowerBound...]).write(
                to: article, atomically: true, encoding: .utf8)
        } else {
            #expect(
                String(text[first.upperBound..<last.lowerBound]) == written,
                "CAMPANILE_WRITE_VECTORS=1 swift test --filter DisclosureMatrixTests writes it")
        }
    }

    private static func tables() -> String {
        var lines = ["| rule | what may be disclosed, and to whom | attacked by |", "|---|---|---|"]
        for rule in DisclosureRule.allCases {
            lines.append("| \(rule.rawValue) | \(rule.sentence) | \(rule.suites.joined(separator: ", ")) |")
        }
        let sources = InformationSource.allCases
        lines += ["", "| outlet | \(sources.map(\.rawValue).joined(separator: " | ")) |"]
        lines.append("|---|" + sources.map { _ in "---|" }.joined())
        for (outlet, row) in DisclosureMatrix.rows.sorted(by: { $0.key < $1.key }) {
            let cells = sources.map { row[$0]?.rawValue ?? (row.isEmpty ? "own" : "") }
            lines.append("| `\(outlet)` | \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
