import Foundation
import Testing

@Suite("Every input that fuzzing kept still holds to its parser's rules")
struct CorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Corpus").standardizedFileURL

    private static func files(_ target: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: corpus.appendingPathComponent(target), includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
    }

    @Test("Each kept input holds to its parser's rules, whole and cut off at any place", arguments: FuzzTarget.all)
    func replay(target: FuzzTarget) throws {
        let files = try Self.files(target.name)
        #expect(files.count >= 3, "deploy/fuzz finds nothing without seeds")
        for file in files {
            let input = Array(try Data(contentsOf: file))
            for length in [input.count] + stride(from: 0, to: input.count, by: input.count / 4 + 1) {
                do {
                    try target.run(Array(input.prefix(length)))
                } catch {
                    Issue.record("\(file.lastPathComponent), the first \(length) bytes: \(error)")
                }
            }
        }
    }

    @Test("the corpus has a folder for each target and no other, and is small")
    func corpusIsTidy() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
        var bytes = 0
        for file in try folders.flatMap(Self.files) { bytes += try Data(contentsOf: file).count }
        #expect(bytes < 1_048_576)
    }

    @Test("a parser that breaks a rule is found out")
    func rulesAreChecked() {
        #expect(throws: BrokenRule.self) { try demandEqual(1, 2, "one is two") }
        #expect(throws: BrokenRule.self) { try demandPlain("two\nlines") }
        #expect(throws: BrokenRule.self) { try demandPlain("") }
    }
}
