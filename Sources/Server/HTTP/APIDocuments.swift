import APIDescription

/// The descriptions of the API, made and compressed once in a process, at the first request and not on a loop.
enum APIDocuments {
    /// `GET /api/openrpc.json`.
    static let openRPC = Task.detached { resource(OpenRPC.document(version: ServerConfiguration.version)) }
    /// `GET /api/asyncapi.json`.
    static let asyncAPI = Task.detached { resource(AsyncAPI.document(version: ServerConfiguration.version)) }

    private static func resource(_ document: JSONValue) -> Resource {
        Resource(Array(document.text.utf8), contentType: "application/json", cacheControl: "public, max-age=300")
    }
}
