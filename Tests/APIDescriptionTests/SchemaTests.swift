import APIDescription
import Testing
import Wire

@Suite("Schemas of wire types")
struct SchemaTests {
    @Test("Every method and every kind of topic is described once")
    func complete() {
        let document = OpenRPC.document(version: "1")
        guard case .array(let methods)? = document["methods"] else {
            Issue.record("the document has no methods")
            return
        }
        let names: [JSONValue] = methods.compactMap { $0["name"] }
        #expect(names == APIRegistry.methods.map { JSONValue.string($0.name) })
        #expect(Set(APIRegistry.methods.map { $0.name }).count == APIRegistry.methods.count)
        guard case .object(let channels)? = AsyncAPI.document(version: "1")["channels"] else {
            Issue.record("the document has no channels")
            return
        }
        #expect(channels.map(\.name) == ["socket"] + TopicKind.allCases.map(\.rawValue))
    }

    @Test("Every summary is made of sentences")
    func summaries() {
        for method in APIRegistry.methods {
            #expect(method.summary.first?.isUppercase == true && method.summary.hasSuffix("."), "\(method.name)")
        }
    }
}
