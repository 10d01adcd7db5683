import EventLoop
import Metrics
import Synchronization
import Testing

@testable import Postgres

/// A database that answers when the test says so.
private final class HeldDatabase: Sendable {
    typealias Completion = @Sendable (Result<[PostgresRows], any Error>) -> Void

    struct State {
        /// Groups that were sent, with what is said of each once it is answered.
        var sent: [(items: [String], completion: Completion)] = []
        var answeredCount = 0
        /// What happened, in order.
        var events: [String] = []
        var isReportHeld = false
    }

    let loop: EventLoop
    let state = Mutex(State())

    init() throws { loop = try EventLoop(label: "group-commit") }

    var events: [String] { state.withLock { $0.events } }

    func note(_ event: String) { state.withLock { $0.events.append(event) } }

    func groups(_ limits: GroupCommit<String, String>.Limits = .init(window: .zero)) -> GroupCommit<String, String> {
        GroupCommit(
            loop: loop, limits: limits, refuse: { PostgresError.overloaded },
            key: { $0.hasPrefix("=") ? [String($0.prefix(2))] : [] },
            write: { [self] items, _, completion in
                state.withLock { $0.sent.append((items, completion)) }
                note("sent " + items.joined(separator: " "))
            },
            read: { [self] items, _, _ in
                .init(answers: items.map { .success($0) }) { [self] in
                    while state.withLock({ $0.isReportHeld }) { await loop.sleep(for: .milliseconds(1)) }
                    note("told " + items.joined(separator: " "))
                }
            },
            failed: { [self] items, _ in note("failed " + items.joined(separator: " ")) })
    }

    func submit(_ items: [String], to groups: GroupCommit<String, String>) async {
        await onLoop { [self] in
            for item in items {
                groups.submit(item, size: 1) { result in
                    switch result {
                    case .success: self.note("done \(item)")
                    case .failure: self.note("refused \(item)")
                    }
                }
            }
        }
    }

    /// Answers the next group, once it was sent.
    func answer(_ result: Result<[PostgresRows], any Error> = .success([])) async {
        while state.withLock({ $0.sent.count <= $0.answeredCount }) { await Task.yield() }
        let completion = state.withLock { state in
            state.answeredCount += 1
            return state.sent[state.answeredCount - 1].completion
        }
        await onLoop { completion(result) }
    }

    func wait(for event: String) async {
        while !events.contains(event) { await Task.yield() }
    }

    private func onLoop(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            loop.execute {
                body()
                continuation.resume()
            }
        }
    }
}

@Suite("Groups that are committed", .timeLimit(.minutes(1)))
struct GroupCommitTests {
    @Test("The next group is at the database before the last one is told, and what came of them is told in their order")
    func overlap() async throws {
        let database = try HeldDatabase()
        let groups = database.groups()
        await database.submit(["a", "b"], to: groups)
        await database.wait(for: "sent a b")
        await database.submit(["c"], to: groups)
        #expect(!database.events.contains("sent c"), "one group at a time")
        database.state.withLock { $0.isReportHeld = true }
        await database.answer()
        await database.wait(for: "sent c")
        #expect(!database.events.contains("told a b"))
        await database.submit(["d"], to: groups)
        await database.answer()
        // The first is still being told: a third is not begun.
        await database.wait(for: "done a")
        #expect(!database.events.contains("sent d") && !database.events.contains("done c"))
        database.state.withLock { $0.isReportHeld = false }
        await database.answer()
        await database.wait(for: "told d")
        #expect(
            database.events.filter { $0.hasPrefix("told") || $0.hasPrefix("done") }
                == ["done a", "done b", "told a b", "done c", "told c", "done d", "told d"])
    }

    @Test(
        "Who is refused by the database is told so alone; the others of the group are committed, before who came later")
    func fault() async throws {
        let database = try HeldDatabase()
        let groups = database.groups()
        let refusal = PostgresError.server(sqlState: "22021", message: "no", constraint: nil)
        await database.submit(["a", "b", "c"], to: groups)
        await database.wait(for: "sent a b c")
        await database.submit(["d"], to: groups)
        await database.answer(.failure(refusal))
        await database.answer()
        await database.answer(.failure(refusal))
        await database.answer()
        await database.answer()
        await database.wait(for: "told d")
        let sent = database.events.filter { $0.hasPrefix("sent") }
        #expect(sent == ["sent a b c", "sent a", "sent b", "sent c", "sent d"])
        #expect(database.events.filter { $0.hasPrefix("done") } == ["done a", "done c", "done d"])
        #expect(database.events.contains("refused b") && database.events.contains("failed b"))
    }

    @Test(
        "A group that fails because the disk is full, or writes are refused, fails as a whole: no item is at fault",
        arguments: ["53100", "25006"])
    func outage(sqlState: String) async throws {
        let database = try HeldDatabase()
        let groups = database.groups()
        await database.submit(["a", "b"], to: groups)
        await database.answer(.failure(PostgresError.server(sqlState: sqlState, message: "no", constraint: nil)))
        await database.wait(for: "failed a b")
        #expect(database.events.filter { $0.hasPrefix("sent") } == ["sent a b"])
        #expect(database.events.contains("refused a") && database.events.contains("refused b"))
    }

    @Test("A group that was perhaps committed fails as a whole, and the next one goes on")
    func lost() async throws {
        let database = try HeldDatabase()
        let groups = database.groups()
        await database.submit(["a", "b"], to: groups)
        await database.answer(.failure(PostgresError.unavailable(reason: "lost")))
        await database.submit(["c"], to: groups)
        await database.answer()
        await database.wait(for: "told c")
        #expect(database.events.contains("refused a") && database.events.contains("refused b"))
        #expect(database.events.contains("failed a b") && database.events.contains("done c"))
    }

    @Test("What comes twice is in two groups, so that the second finds the first; what is between goes with the first")
    func keys() async throws {
        let database = try HeldDatabase()
        let groups = database.groups()
        await database.submit(["=1 first", "=1 again", "other", "=2", "=1 more"], to: groups)
        for _ in 0..<3 { await database.answer() }
        await database.wait(for: "told =1 more")
        let sent = database.events.filter { $0.hasPrefix("sent") }
        #expect(sent == ["sent =1 first other =2", "sent =1 again", "sent =1 more"])
    }

    @Test("More than may wait are refused, with when to come again")
    func full() async throws {
        let database = try HeldDatabase()
        let groups = database.groups(.init(window: .zero, groupItemsMax: 2, waitingItemsMax: 3))
        // A full group does not wait for its window: the first two leave the queue at once.
        await database.submit(["a", "b", "c", "d", "e", "f"], to: groups)
        #expect(database.events == ["sent a b", "refused f"])
        for _ in 0..<3 { await database.answer() }
        await database.wait(for: "told e")
        #expect(database.events.filter { $0.hasPrefix("done") }.count == 5)
    }

    @Test("Paced groups wait for their window also behind a commit, unless they are full")
    func paced() async throws {
        let database = try HeldDatabase()
        // A window that does not end during the test.
        let groups = database.groups(.init(window: .seconds(3_600), isPaced: true, groupItemsMax: 2))
        await database.submit(["a", "b"], to: groups)
        #expect(database.events.last == "sent a b", "full")
        await database.submit(["c"], to: groups)
        await database.answer()
        await database.wait(for: "told a b")
        #expect(!database.events.contains("sent c"), "its window is open still")
        await database.submit(["d"], to: groups)
        #expect(database.events.last == "sent c d", "full")
        await database.answer()
        await database.wait(for: "told c d")
    }

    @Test("Closing commits what waits, at once, and refuses what comes later")
    func closing() async throws {
        let database = try HeldDatabase()
        let groups = database.groups(.init(window: .seconds(3_600)))
        await database.submit(["a", "b"], to: groups)
        async let closed: Void = groups.close()
        await database.wait(for: "sent a b")
        await database.submit(["c"], to: groups)
        #expect(database.events.contains("refused c"))
        await database.answer()
        await closed
        #expect(database.events.contains("done a") && database.events.contains("done b"))
    }
}
