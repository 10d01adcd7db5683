import APIDescription
import Foundation
import TestSupport
import Testing

/// The published schemas lie beside the repository; a contributor may not have them.
private let schemas = TestServer.root.deletingLastPathComponent().appendingPathComponent("shared/data/schemas")

@Suite("The descriptions of the API follow their published schemas")
struct SchemaValidationTests {
    @Test(
        "OpenRPC and AsyncAPI: valid, no reference points nowhere, and each schema is a JSON Schema",
        .enabled(if: FileManager.default.fileExists(atPath: schemas.path)), .timeLimit(.minutes(2)),
        arguments: ["openrpc", "asyncapi"])
    func valid(format: String) async throws {
        let document = format == "openrpc" ? OpenRPC.document(version: "1") : AsyncAPI.document(version: "1")
        let schema = schemas.appendingPathComponent(format == "openrpc" ? "openrpc.json" : "asyncapi-3.0.0.json")
        let file = try TestDirectory.make("api") + "/\(format).json"
        try Data(document.text.utf8).write(to: URL(fileURLWithPath: file))
        let check = try await TestPython.start("apischema", [format, schema.path, file])
        let done = try await eventually("the document is checked") { check.said("done").first }
        #expect(check.said("fault").map { $0.text("text") } == [])
        #expect(done.number("schemas") > 50)
        check.end()
    }
}
