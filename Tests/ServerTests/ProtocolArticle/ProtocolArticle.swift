import Foundation
import TestSupport

/// Articles as tests read them: the rows of its tables, and the types that it defines.
struct ProtocolArticle {
    let text: String
    /// The cells of each row of each table.
    let rows: [[String]]

    /// The articles of the protocol.
    init() throws { try self.init(["Protocol", "ProtocolTopics", "ProtocolMethods"]) }

    /// - Parameter names: Articles that are read as one.
    init(_ names: [String]) throws {
        text = try names.map { name in
            try String(
                contentsOf: TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc/\(name).md"),
                encoding: .utf8)
        }.joined(separator: "\n")
        rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// The names of all articles.
    static func names() throws -> [String] {
        let directory = TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc")
        return try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".md") }.map {
            String($0.dropLast(3))
        }
    }

    /// The row that describes a method in a table of three columns.
    func row(of method: String) -> (params: String, result: String)? {
        // The limits of requests name methods, too, in a table of four columns.
        rows.first { $0.count == 3 && Self.spans(of: $0[0]).contains(method) }.map { ($0[1], $0[2]) }
    }

    /// What stands between backticks.
    static func spans(of text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
            String($0.element)
        }
    }

    /// The members of a type that the article defines as `` `Name` is `{…}` ``, with `?` behind those that may be left out.
    func members(of type: String) -> Set<String>? {
        guard let start = text.range(of: "`\(type)`\\s+is\\s+`\\{", options: .regularExpression) else { return nil }
        return Self.members(in: text[start.upperBound...])
    }

    /// The names of the members of an object's notation, which begins behind its brace.
    static func members(in notation: Substring) -> Set<String> {
        var depth = 0
        var member = ""
        var members: Set<String> = []
        func add() {
            let name = member.prefix { $0 != ":" }.trimmingCharacters(in: .whitespacesAndNewlines)
            if !name.isEmpty { members.insert(name) }
            member = ""
        }
        for character in notation {
            switch character {
            case "}" where depth == 0:
                add()
                return members
            case "," where depth == 0: add()
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            default: break
            }
            if character != "," || depth > 0 { member.append(character) }
        }
        return members
    }

    /// Words of the section "Values", by the name of their type.
    var values: [(type: String, values: [String])] {
        get throws {
            guard let start = text.range(of: "\n## Values\n"),
                let end = text[start.upperBound...].range(of: "\n## ")
            else { throw Missing() }
            return text[start.upperBound..<end.lowerBound].split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
                let cells = $0.split(separator: "|")
                return (Self.spans(of: cells[0])[0], Self.spans(of: cells[1]))
            }
        }
    }

    struct Missing: Error {}
}

/// Enumerations of strings as a source file declares them.
enum SourceEnumerations {
    /// The values of each `enum …: String`, by its name.
    static func declared(in path: String) throws -> [(name: String, values: [String])] {
        let source = try String(contentsOf: TestServer.root.appendingPathComponent(path), encoding: .utf8)
        return source.matches(of: /enum (\w+): String[^\n{]*\{/).map { match in
            (String(match.1), values(in: source[match.range.upperBound...]))
        }
    }

    private static func values(in body: Substring) -> [String] {
        var depth = 1
        var values: [String] = []
        // A list of cases that continues on the next line is one line.
        for line in body.replacing(/,\s*\n\s*/, with: ", ").split(separator: "\n") {
            let code = line.split(separator: "//", maxSplits: 1).first ?? ""
            if depth == 1, let match = code.firstMatch(of: /^\s*case ([^:{}]+?)\s*\}?$/) {
                values += match.1.split(separator: ",").map(value)
            }
            depth += code.count { $0 == "{" } - code.count { $0 == "}" }
            if depth <= 0 { return values }
        }
        return values
    }

    private static func value(_ declaration: Substring) -> String {
        let parts = declaration.split(separator: "=").map { $0.trimmingCharacters(in: .whitespaces) }
        return (parts.last ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "\"`"))
    }
}
