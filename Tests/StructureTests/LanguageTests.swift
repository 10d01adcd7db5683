import Foundation
import Testing

/// The Glossary article has the words to use instead.
@Suite("Language")
struct LanguageTests {
    /// Occurrences that are left in a room or a document. They only become fewer; a new room starts at 0.
    static let retiredWordsLeft: [String: Int] = [:]

    private static func retired() -> Regex<(Substring, Substring)> {
        /\b(tells?|told|hears?|heard)\b/.ignoresCase()
    }

    @Test(
        "Comments do not use words that the project has retired: a message is published or delivered, a person is notified"
    )
    func retiredWords() throws {
        // Made once: a literal in a loop is parsed for each line.
        let (comments, retired) = (/\/\/.*/, Self.retired())
        var found: [String: [String]] = [:]
        for file in try Repository.sources.get() {
            for (index, line) in file.lines.enumerated() {
                guard let comment = line.firstMatch(of: comments)?.output else { continue }
                for match in comment.matches(of: retired) {
                    found[String(file.room), default: []].append("\(file.path):\(index + 1) \(match.output.0)")
                }
            }
        }
        for (room, places) in found {
            #expect(places.count <= Self.retiredWordsLeft[room] ?? 0, "\(room): \(places.prefix(20))")
        }
    }

    @Test("Documents do not use them either")
    func documents() throws {
        let retired = Self.retired()
        for document in try Repository.documents.get() {
            let places = document.lines.enumerated().filter {
                $0.element.contains(retired)
            }
            .map { "\(document.path):\($0.offset + 1)" }
            let name = String(document.path.split(separator: "/").last ?? "")
            #expect(places.count <= Self.retiredWordsLeft[name] ?? 0, "\(name): \(places.count) \(places.prefix(20))")
        }
    }

    @Test("No comment repeats its declaration by a formula")
    func formulas() throws {
        let formula = /\/\/\/ (Memberwise|The name on the wire|Who may call it)\./
        let found = try Repository.sources.get().flatMap { file in
            file.lines.enumerated().filter { $0.element.contains(formula) }
                .map { "\(file.path):\($0.offset + 1)" }
        }
        #expect(found.isEmpty, "\(found)")
    }

    @Test("Each name of a type in a document exists in the code")
    func names() throws {
        let package = try String(contentsOf: Repository.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let (word, typeName) = (/\w+/, /`([A-Z][a-z]+[A-Z]\w*)(?:[.\/(:<][^`]*)?`/)
        var words = Set(package.matches(of: word).map(\.output))
        for file in try Repository.files(below: "Sources", ["swift", "js", "ts", "h"]) + Repository.tests.get()
            + Repository.files(below: "sql", ["sql"])
            + Repository.files(below: "deploy", ["service", "socket", "conf"])
        {
            words.formUnion(file.text.matches(of: word).map(\.output))
            words.insert(file.path.split(separator: "/").last?.prefix { $0 != "." } ?? "")
        }
        var unknown: [String] = []
        // The articles of the protocol define names of their own; ProtocolArticleTests compares these with the code.
        for document in try Repository.documents.get() where !document.path.contains("/Protocol") {
            for (index, line) in document.lines.enumerated() {
                for span in line.matches(of: typeName) {
                    guard !words.contains(span.1) else { continue }
                    unknown.append("\(document.path):\(index + 1) \(span.1)")
                }
            }
        }
        #expect(unknown.isEmpty, "\(unknown)")
    }

    /// Files that a document names as an example of new ones.
    static let examples: Set<Substring> = ["Hub/Canteens/CanteenFeed"]

    @Test("Each file that a document names exists, such as `Hub/Log/LogFeed`, `Tests/Support` or `LogFeed+Recovery`")
    func files() throws {
        let (path, aspect) = (/`([A-Z]\w+)(\/[\w+.\/]+)`/, /`(\w+\+\w+)`/)
        let sources = Repository.root.appendingPathComponent("Sources").path
        let rooms = Set(try FileManager.default.contentsOfDirectory(atPath: sources) + ["Sources", "Tests"])
        let names = Set(
            try (Repository.sources.get() + Repository.tests.get()).map {
                $0.path.split(separator: "/").last?.prefix { $0 != "." } ?? ""
            })
        var unknown: [String] = []
        for document in try Repository.documents.get() {
            for (index, line) in document.lines.enumerated() {
                let paths = line.matches(of: path).filter { rooms.contains(String($0.1)) }.map { $0.1 + $0.2 }
                let missing =
                    paths.filter { !Self.examples.contains($0) && !$0.contains("NAME") && !Self.exists($0) }
                    + line.matches(of: aspect).map(\.1).filter { !names.contains($0) }
                unknown += missing.map { "\(document.path):\(index + 1) \($0)" }
            }
        }
        #expect(unknown.isEmpty, "\(unknown)")
    }

    /// - Parameter path: A file or folder below the root or below `Sources`; a Swift file without its extension.
    private static func exists(_ path: Substring) -> Bool {
        ["", "Sources/"].flatMap { folder in ["", ".swift"].map { "\(folder)\(path)\($0)" } }
            .contains { FileManager.default.fileExists(atPath: Repository.root.appendingPathComponent($0).path) }
    }
}
