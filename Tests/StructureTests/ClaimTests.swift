import Testing

/// SQL that takes a limited number of rows for itself.
@Suite("Claims of rows")
struct ClaimTests {
    @Test("An expression or an array claims rows: PostgreSQL may evaluate a subquery again, beyond its limit")
    func limits() throws {
        let found = try (Repository.sources.get() + Repository.files(below: "sql", ["sql"])).flatMap {
            Self.subqueries(in: $0)
        }
        #expect(found.isEmpty, "\(found)")
    }

    @Test("A subquery counts that locks rows, behind FROM, JOIN or IN; an expression, an array and a statement do not")
    func subquery() {
        let text = """
            SELECT 1 FROM a FOR UPDATE SKIP LOCKED;
            WITH b AS (SELECT id FROM a WHERE f(id) LIMIT 5 FOR UPDATE SKIP LOCKED)
            UPDATE a SET x = 1 FROM (SELECT id FROM a WHERE f(id)
                LIMIT 5 FOR UPDATE SKIP LOCKED) b WHERE a.id = b.id;
            DELETE FROM a WHERE id = ANY (ARRAY(SELECT id FROM a LIMIT 5 FOR UPDATE SKIP LOCKED));
            DELETE FROM a WHERE id IN (SELECT id FROM a LIMIT 5 FOR NO KEY UPDATE SKIP LOCKED);
            """
        let file = Repository.File(path: "a", lines: text.split(separator: "\n"), text: text)
        #expect(Self.subqueries(in: file) == ["a:4", "a:6"])
    }

    private static func subqueries(in file: Repository.File) -> [String] {
        file.text.ranges(of: "SKIP LOCKED").compactMap { range in
            let before = file.text[..<range.lowerBound]
            var depth = 0
            let start = before.lastIndex { character in
                if character == ")" { depth += 1 }
                if character == "(" { depth -= 1 }
                return depth < 0 || character == ";"
            }
            guard let start, before[start] == "(",
                let word = before[..<start].split(whereSeparator: \.isWhitespace).last?.uppercased(),
                ["FROM", "JOIN", "LATERAL", "IN"].contains(word)
            else { return nil }
            return "\(file.path):\(before.count { $0 == "\n" } + 1)"
        }
    }
}
