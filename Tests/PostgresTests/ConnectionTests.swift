import EventLoop
import Postgres
import TestSupport
import Testing

@Suite("A connection")
struct ConnectionTests {
    private func connect(
        _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) async throws -> PostgresConnection {
        var configuration = try await TestDatabase.shared.makeDatabase().owner
        change(&configuration)
        return try await PostgresConnection.connect(
            configuration: configuration, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
    }

    @Test("A connection answers many statements in flight each with its own rows, in the order they were sent")
    func order() async throws {
        let connection = try await connect()
        defer { connection.close() }
        let finished = Shared<[Int64]>([])
        // Started from one task on the loop, so the order of sending is known.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 as Range<Int64> {
                group.addTask(executorPreference: TestDatabase.shared.loop) {
                    // The first ones take longest: only the order of the pipeline can put them first.
                    let delay = number < 3 ? 0.03 : 0
                    let rows = try await connection.query(
                        "SELECT $1::bigint AS n, pg_sleep($2)", [.int(number), .double(delay)])
                    let answer = try rows.first?.int("n")
                    #expect(answer == number)
                    finished.withLock { $0.append(number) }
                }
            }
            try await group.waitForAll()
        }
        #expect(finished.withLock { $0 } == Array(0..<500))
    }

    @Test("an error in one statement does not touch those before and behind it, and tells no values")
    func isolation() async throws {
        let connection = try await connect()
        defer { connection.close() }
        async let before = connection.query("SELECT 1 AS n")
        async let broken = connection.query("SELECT $1::text::int AS n", [.text("a secret")])
        async let unparsable = connection.query("SELEKT")
        async let behind = connection.query("SELECT 2 AS n")
        #expect(try await before.first?.int("n") == 1)
        #expect(try await behind.first?.int("n") == 2)
        do {
            _ = try await broken
            Issue.record("text was read as a number")
        } catch let error as PostgresError {
            #expect(error.sqlState == "22P02")
            #expect(!"\(error)".contains("secret"))
        }
        do {
            _ = try await unparsable
            Issue.record("nonsense was understood")
        } catch let error as PostgresError {
            #expect(error.sqlState == "42601")
        }
    }

    @Test("A connection names the constraint that was violated and keeps the row out of the message")
    func constraints() async throws {
        let connection = try await connect()
        defer { connection.close() }
        try await connection.script("CREATE TABLE runners (name text CONSTRAINT runners_name_key UNIQUE)")
        let insert = "INSERT INTO runners VALUES ($1)"
        #expect(try await connection.query(insert, [.text("anna")]).affected == 1)
        let error = await #expect(throws: PostgresError.self) {
            _ = try await connection.query(insert, [.text("anna")])
        }
        #expect(error?.isUniqueViolation == true)
        #expect(error?.constraint == "runners_name_key")
        #expect(error.map { "\($0)".contains("anna") } == false)
    }

    @Test("A connection prepares a statement once, and forgets the least used beyond its limit")
    func preparedStatements() async throws {
        let connection = try await connect { $0.preparedStatementsMax = 8 }
        defer { connection.close() }
        for round in 0..<3 {
            for number in 0..<40 {
                let rows = try await connection.query("SELECT \(number) AS n, $1::int AS r", [.int(Int64(round))])
                #expect(try rows.first?.int("n") == Int64(number))
            }
        }
        let count = try await connection.query("SELECT count(*) AS n FROM pg_prepared_statements")
        #expect(try #require(count.first).int("n") <= 9)
        for _ in 0..<5 { _ = try await connection.query("SELECT 'once' AS t") }
        let once = try await connection.query(
            "SELECT count(*) AS n FROM pg_prepared_statements WHERE statement = $1", [.text("SELECT 'once' AS t")])
        #expect(try once.first?.int("n") == 1)
    }

    @Test("a statement whose table changed works again at the next attempt")
    func changedPlan() async throws {
        let connection = try await connect()
        defer { connection.close() }
        try await connection.script("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
        _ = try await connection.query("SELECT * FROM t")
        try await connection.script("ALTER TABLE t ADD b text DEFAULT 'new'")
        let error = await #expect(throws: PostgresError.self) { _ = try await connection.query("SELECT * FROM t") }
        #expect(error?.isRetryable == true)
        #expect(try await connection.query("SELECT * FROM t").first?.text("b") == "new")
    }

    @Test("a statement that takes too long fails, and its connection is closed")
    func timeout() async throws {
        let connection = try await connect { $0.queryTimeout = .milliseconds(100) }
        await #expect(throws: PostgresError.timeout) { _ = try await connection.query("SELECT pg_sleep(30)") }
        let error = await #expect(throws: PostgresError.self) { _ = try await connection.query("SELECT 1") }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("large answers and large parameters pass in both directions at once")
    func large() async throws {
        let connection = try await connect()
        defer { connection.close() }
        let text = String(repeating: "campanile ", count: 200_000)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await connection.query("SELECT $1::text AS t", [.text(text)]).first?.text("t") == text
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }

    @Test("A connection receives what other sessions notify, between answers and when idle")
    func notifications() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        let loop = TestDatabase.shared.loop
        let listener = try await PostgresConnection.connect(configuration: access.owner, loop: loop)
        let sender = try await PostgresConnection.connect(configuration: access.application, loop: loop)
        defer {
            listener.close()
            sender.close()
        }
        let (stream, feed) = AsyncStream.makeStream(of: PostgresNotification.self)
        listener.setNotificationHandler { feed.yield($0) }
        try await listener.listen(to: "Zone \"7\"")
        _ = try await sender.query("SELECT pg_notify($1, $2)", [.text("Zone \"7\""), .text("hello")])
        var received = stream.makeAsyncIterator()
        let notification = await received.next()
        #expect(notification?.payload == "hello")
        #expect(notification?.channel == "Zone \"7\"")
    }

    @Test("a script runs between statements, and its error leaves the connection usable")
    func scripts() async throws {
        let connection = try await connect()
        defer { connection.close() }
        async let first = connection.query("SELECT 1 AS n")
        async let script: Void = connection.script("CREATE TABLE a (n int); INSERT INTO a VALUES (1), (2);")
        async let count = connection.query("SELECT 3 AS n")
        _ = try await (first, script, count)
        #expect(try await connection.query("SELECT count(*) AS n FROM a").first?.int("n") == 2)
        await #expect(throws: PostgresError.self) { try await connection.script("SELECT 1; SELEKT 2") }
        #expect(try await connection.query("SELECT 1 AS n").first?.int("n") == 1)
    }
}
