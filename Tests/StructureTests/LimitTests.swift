import Testing

/// The Limits article lists the limits, and names the file that declares each of them.
@Suite("Limits")
struct LimitTests {
    @Test("Each limit in the Limits article is declared in the file that its row names")
    func limits() throws {
        let article = try #require(Repository.documents.get().first { $0.path.hasSuffix("/Limits.md") })
        let rows = LimitTable.rows(of: article.lines)
        #expect(rows.count > 90, "rows of the table: \(rows.count)")
        let sources = Dictionary(uniqueKeysWithValues: try Repository.sources.get().map { ($0.path, $0.text) })
        let mistakes = rows.flatMap { row in row.mistakes { sources["Sources/\($0).swift"] } }
        #expect(mistakes.isEmpty, "\(mistakes)")
    }

    @Test("A row with a missing file, an undeclared name, another type's name, or without name or file is a mistake")
    func mistakes() {
        let table = """
            | limit | value | declared in | beyond it |
            |---|---|---|---|
            | `right`, `Room.alsoRight` | 1; 2 | `Hub/Room` | closed |
            | `righ` | 1 | `Hub/Room` | closed |
            | `House.right` | 1 | `Hub/Room` | closed |
            | `right` | 1 | `Hub/House` | closed |
            | `right` | 1 | same | closed |
            | right | 1 | `Hub/Room` | closed |

            | `another` | 1 | `Hub/Table` | closed |
            """
        let text = """
            struct Room {
                static let right = 1
                public var alsoRight: Int
            }
            """
        let mistakes = LimitTable.rows(of: table.split(separator: "\n", omittingEmptySubsequences: false)).flatMap {
            row in row.mistakes { $0 == "Hub/Room" ? text : nil }
        }
        #expect(
            mistakes == [
                "line 4: Hub/Room does not declare righ", "line 5: Hub/Room does not declare House.right",
                "line 6: there is no file Hub/House", "line 7: one name or more, and one file",
                "line 8: one name or more, and one file",
            ])
    }
}

/// The table of limits: a row has names such as `bytesMax` or `UploadCapacity.bytesMax`, and one file below `Sources`.
enum LimitTable {
    struct Row {
        let line: Int
        let names: [Substring]
        let files: [Substring]
    }

    static func rows(of lines: [Substring]) -> [Row] {
        let code = /`([^`]+)`/
        guard let head = lines.firstIndex(where: { $0.hasPrefix("| limit |") }) else { return [] }
        // Behind the head and the line below it.
        return lines.indices.dropFirst(head + 2).prefix { lines[$0].hasPrefix("|") }
            .map { index in
                let cells = lines[index].split(separator: "|")
                return Row(
                    line: index + 1, names: cells.first?.matches(of: code).map(\.1) ?? [],
                    files: cells.dropFirst(2).first?.matches(of: code).map(\.1) ?? [])
            }
    }
}

extension LimitTable.Row {
    /// - Parameter text: Text of a file; nil if there is none.
    func mistakes(text: (Substring) -> String?) -> [String] {
        guard !names.isEmpty, files.count == 1, let file = files.first else {
            return ["line \(line): one name or more, and one file"]
        }
        guard let text = text(file) else { return ["line \(line): there is no file \(file)"] }
        let members = Set(text.matches(of: /\b(?:let|var) (\w+)/).map(\.1))
        let types = Set(text.matches(of: /\b(?:struct|class|actor|enum|extension) (\w+)/).map(\.1))
        return names.compactMap { name in
            let parts = name.split(separator: ".")
            let isDeclared = parts.last.map(members.contains) ?? false && parts.dropLast().allSatisfy(types.contains)
            return isDeclared ? nil : "line \(line): \(file) does not declare \(name)"
        }
    }
}
