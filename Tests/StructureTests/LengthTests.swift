import Testing

/// CONTRIBUTING, Style: bounds on what a reader has to keep in mind at once.
@Suite("Lengths")
struct LengthTests {
    static let functionLinesMax = 70
    static let fileLinesMax = 400
    static let columnsMax = 140

    @Test("No Swift file has more than 400 lines")
    func files() throws {
        let long = try (Repository.sources.get() + Repository.tests.get()).filter {
            $0.lines.count - 1 > Self.fileLinesMax
        }
        #expect(long.isEmpty, "\(long.map { "\($0.path): \($0.lines.count - 1) lines" })")
    }

    @Test("No line of the sources has more than 140 columns")
    func columns() throws {
        var wide: [String] = []
        for file in try Repository.sources.get() {
            for (index, line) in file.lines.enumerated() where line.count > Self.columnsMax {
                wide.append("\(file.path):\(index + 1)")
            }
        }
        #expect(wide.isEmpty, "\(wide)")
    }

    @Test("No function of the sources has more than 70 lines")
    func functions() throws {
        let long = try Repository.sources.get().flatMap { file in
            FunctionLengths.of(file.lines).filter { $0.lines > Self.functionLinesMax }
                .map { "\(file.path): \($0.name) has \($0.lines) lines" }
        }
        #expect(long.isEmpty, "\(long)")
    }

    @Test(
        "The measure of functions counts from the declaration to its closing brace, and inner functions by themselves")
    func measure() {
        let text = """
            struct A {
                func outer() {
                    func inner() {
                        print(1)
                    }
                    inner()
                }
                init() {
                }
            }
            """
        let found = FunctionLengths.of(text.split(separator: "\n")).map { "\($0.name) \($0.lines)" }
        #expect(found == ["inner 3", "outer 6", "init 2"])
    }
}

/// Functions by indentation, which the formatter keeps.
enum FunctionLengths {
    struct Function {
        let name: String
        let lines: Int
    }

    static func of(_ lines: [Substring]) -> [Function] {
        var open: [(indentation: Int, start: Int, name: String)] = []
        var found: [Function] = []
        // Made once: a literal in a loop is parsed for each line.
        let declaration = /(?:(?:@\w+(?:\([^)]*\))?|[a-z]+(?:\(set\))?) )*?(?:func +(\w+|[^\s(]+)|(init|deinit)\b)/
        for (index, line) in lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.count
            let words = line.dropFirst(indentation)
            if let match = words.prefixMatch(of: declaration), let name = match.1 ?? match.2 {
                open.append((indentation, index, String(name)))
            }
            guard words.hasPrefix("}") else { continue }
            while let last = open.last, last.indentation >= indentation {
                open.removeLast()
                guard last.indentation == indentation else { continue }
                found.append(Function(name: last.name, lines: index - last.start + 1))
            }
        }
        return found
    }
}
