import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("A complete file gets its name")
struct NewFileTests {
    @Test(
        "A complete file gets its name also on a file system that cannot rename and check at once, and never replaces another file",
        arguments: [nil, ENOSYS, EINVAL, EOPNOTSUPP] as [Int32?])
    func renamed(refusal: Int32?) throws {
        let directory = try TestDirectory.make("names")
        func rename(_ from: String, to path: String) throws {
            guard let refusal else { return try NewFile.rename(from, to: path) }
            try NewFile.rename(from, to: path) { _, _ in
                errno = refusal
                return -1
            }
        }
        func write(_ name: String) throws -> String {
            try name.write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8)
            return "\(directory)/\(name)"
        }
        try rename(write("one"), to: "\(directory)/backup")
        #expect(try String(contentsOfFile: "\(directory)/backup", encoding: .utf8) == "one")
        let error = #expect(throws: SystemError.self) { try rename(write("two"), to: "\(directory)/backup") }
        #expect(error?.code == EEXIST)
        #expect(try String(contentsOfFile: "\(directory)/backup", encoding: .utf8) == "one")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["backup", "two"])
    }
}
