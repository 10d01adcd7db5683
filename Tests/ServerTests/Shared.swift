import TestSupport

/// One server for all tests that do not mind company.
enum Shared {
    private static let task = Task { try await TestServer.start() }

    static var server: TestServer {
        get async throws { try await task.value }
    }
}
