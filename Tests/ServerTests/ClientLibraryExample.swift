import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

// What is between the two lines is the example of the article on the client library, word for word; a test compares them.
// BEGIN
/// The notices that a program keeps; on a phone they would be in a file.
actor Diary {
    var titles: [Int64: String] = [:]
    var position: TopicPosition?

    func take(_ change: NoticeChange) {
        switch change {
        case .notice(let notice, let position):
            // A correction has the number of the notice that it corrects.
            titles[notice.number] = notice.title
            // Stored together with the notice, so that none is missed.
            self.position = position
        case .withdrawn(let number, let position):
            titles[number] = nil
            self.position = position
        case .lost:
            // The server cannot return everything since the position. The notices that hold follow.
            titles = [:]
        }
    }
}

/// The reliable lane: every notice once, in order, whatever happens to the network and the server.
func keepDiary(_ diary: Diary, of client: ResilientClient) async throws {
    for try await news in client.notices(since: await diary.position) {
        await diary.take(news)
    }
}

/// The conflating lane: the newest state. However long `draw` takes, the next state is the newest then.
func showMap(_ map: LivePositions, draw: (ViewportPositions) async -> Void) async throws {
    for try await state in map { await draw(state) }
}

/// Signs in, publishes, reads both lanes for a while, and leaves.
func example(url: String, token: String, draw: @escaping @Sendable (ViewportPositions) async -> Void) async throws
    -> Diary
{
    let client = ResilientClient(address: try ServerAddress(url: url), token: token, loops: try ClientLoops())
    await client.start()

    let diary = Diary()
    let map = client.positions(in: MapViewport(south: 51.49, west: 7.99, north: 51.5, east: 8.01, zoom: 16))
    let reading = Task { try await keepDiary(diary, of: client) }
    let drawing = Task { try await showMap(map, draw: draw) }

    // Returns when the notice is committed; sent again until then, and never published twice.
    try await client.publish(title: "The gym is open until ten", to: .campus)
    map.move(to: MapViewport(south: 51.495, west: 7.99, north: 51.505, east: 8.01, zoom: 16))
    try await Task.sleep(for: .seconds(2))

    // To cancel the tasks that read is to unsubscribe.
    reading.cancel()
    drawing.cancel()
    await client.close()
    return diary
}
// END

@Suite("The client library's example", .timeLimit(.minutes(3)))
struct ClientLibraryExample {
    @Test("It does what it says: the notice is in the diary, and the runner on the map")
    func runs() async throws {
        let server = try await TestServer.start()
        let (connection, account) = try await server.register()
        let database = try await server.database()
        _ = try await database.query(
            "UPDATE accounts SET role = 'lecturer' WHERE id = $1", [.int(account.account.id)])
        database.close()
        let run = try await TestRun(on: server)
        try await run.run(3)
        let seen = Seen()
        let diary = try await example(url: server.url, token: account.token) { await seen.take($0) }
        #expect(await diary.titles.values.sorted() == ["The gym is open until ten"])
        #expect(await diary.position?.offset == 1)
        #expect(await seen.sessions.contains(await run.id))
        await connection.close()
        await server.stop()
    }

    private actor Seen {
        var sessions: Set<Int64> = []
        func take(_ picture: ViewportPositions) { sessions.formUnion(picture.runners.keys) }
    }

    @Test("The article shows this code")
    func isInTheArticle() throws {
        let file = TestServer.root.appending(path: "Tests/ServerTests/ClientLibraryExample.swift")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let begin = try #require(lines.firstIndex(of: "// BEGIN"))
        let end = try #require(lines.firstIndex(of: "// END"))
        let code = lines[(begin + 1)..<end].joined(separator: "\n")
        let article = TestServer.root.appending(path: "Sources/campanile/Documentation.docc/ClientLibrary.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        #expect(text.contains("```swift\nimport CampanileClient\nimport Wire\n\n\(code)\n```"))
    }
}
