import Testing

/// Types of Foundation that the project does not use.
@Suite("Foundation")
struct FoundationTests {
    @Test("ChildProcess and RunningProgram start programs; Foundation's Process can crash with many descriptors")
    func process() throws {
        let found = try (Repository.sources.get() + Repository.tests.get()).flatMap(Self.uses(in:))
        #expect(found.isEmpty, "\(found)")
    }

    @Test("The name counts in code, and not in comments, texts and longer names")
    func name() {
        // Not spelt out, because this file is searched as well.
        let type = "Process"
        let text = """
            let a = \(type)()
            let b: Foundation.\(type) = .init() // of a kind
            let c = \(type)Info.processInfo // \(type)()
            let d = "\(type)()"
            try \(type).run(url, arguments: [])
            """
        let file = Repository.File(path: "a", lines: text.split(separator: "\n"), text: text)
        #expect(Self.uses(in: file) == ["a:1", "a:2", "a:5"])
    }

    private static func uses(in file: Repository.File) -> [String] {
        let name = "Process"
        guard file.text.contains(name) else { return [] }
        let (comment, string, word) = (/\/\/.*/, /"(?:\\.|[^"\\])*"/, /\w+/)
        return file.lines.enumerated().filter { line in
            guard line.element.contains(name) else { return false }
            let code = line.element.replacing(comment, with: "").replacing(string, with: "")
            return code.matches(of: word).contains { $0.output == name }
        }.map { "\(file.path):\($0.offset + 1)" }
    }
}
