import Postgres
import TestSupport
import Testing

@Suite("Values on their way to PostgreSQL and back")
struct ValueTests {
    static let hostile = [
        "", "NULL", "null", "{}", "}", "{a,b}", ",", "\"", "\\", "\\\"", "a\\", "'; DROP TABLE runs; --", "$1", "%s",
        " leading and trailing ", "tab\tnewline\ncarriage\r", "Grüße 🏃‍♀️ \u{202e}", "\u{1}\u{7f}",
    ]

    private func connect() async throws -> PostgresConnection {
        let access = try await TestDatabase.shared.makeDatabase()
        return try await PostgresConnection.connect(
            configuration: access.owner, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
    }

    @Test("every scalar comes back as it was sent")
    func scalars() async throws {
        let connection = try await connect()
        defer { connection.close() }
        let row = try #require(
            try await connection.query(
                """
                SELECT $1::bigint AS i, $2::double precision AS d, $3::boolean AS b, $4::text AS t,
                       $5::timestamptz AS at, $6::uuid AS u, $7::bytea AS y, $8::text AS n
                """,
                [
                    .int(.min), .double(0.1 + 0.2), .bool(true), .text("naïve \\ \"text\""),
                    .timestamp(1_763_657_321_123),
                    .uuid("123e4567-e89b-12d3-a456-426614174000"), .bytes([0, 1, 0x5c, 0x27, 255]), .null,
                ]
            ).first)
        #expect(try row.int("i") == .min)
        #expect(try row.double("d") == 0.1 + 0.2)
        #expect(try row.bool("b"))
        #expect(try row.text("t") == "naïve \\ \"text\"")
        #expect(try row.timestamp("at") == 1_763_657_321_123)
        #expect(try row.uuid("u") == "123e4567-e89b-12d3-a456-426614174000")
        #expect(try row.bytes("y") == [0, 1, 0x5c, 0x27, 255])
        #expect(try row.optionalText("n") == nil)
        #expect(try row.isNull("n"))
    }

    @Test("numbers that are not finite come back, and what is too near to zero for `real` is zero")
    func notFinite() async throws {
        let connection = try await connect()
        defer { connection.close() }
        let row = try #require(
            try await connection.query(
                "SELECT $1::float8[] AS d", [.doubleArray([.infinity, -.infinity, .leastNonzeroMagnitude, -0.0])]
            ).first)
        #expect(try row.doubleArray("d") == [.infinity, -.infinity, 0, 0])
        let smallest = Double(Float.leastNormalMagnitude)
        for (sent, stored) in [(smallest, smallest), (-smallest, -smallest), (smallest.nextDown, 0)] {
            let kept = try await connection.query(
                "SELECT $1::real::float8 AS narrow, $2::float8 AS wide", [.double(sent), .double(sent)])
            #expect(try #require(kept.first).double("narrow") == stored)
            #expect(try #require(kept.first).double("wide") == stored)
        }
        let nan = try await connection.query("SELECT $1::float8 AS d", [.double(.nan)])
        #expect(try #require(nan.first).double("d").isNaN)
    }

    @Test("hostile text in arrays comes back unharmed and is seen as that many elements")
    func hostileArrays() async throws {
        let connection = try await connect()
        defer { connection.close() }
        let row = try #require(
            try await connection.query(
                "SELECT $1::text[] AS t, cardinality($1::text[]) AS n, $2::text[] AS o",
                [.textArray(Self.hostile), .optionalTextArray([nil, "NULL", nil])]
            ).first)
        #expect(try row.textArray("t") == Self.hostile)
        #expect(try row.int("n") == Int64(Self.hostile.count))
        #expect(try row.optionalTextArray("o") == [nil, "NULL", nil])
    }

    @Test("arrays of every kind come back, empty ones too")
    func arrays() async throws {
        let connection = try await connect()
        defer { connection.close() }
        let row = try #require(
            try await connection.query(
                """
                SELECT $1::bigint[] AS i, $2::boolean[] AS b, $3::timestamptz[] AS at, $4::float8[] AS d,
                       $5::bigint[] AS e
                """,
                [
                    .intArray([1, -2, .max]), .boolArray([true, false]), .timestampArray([0, 1_763_657_321_001]),
                    .optionalDoubleArray([1.5, nil]), .intArray([]),
                ]
            ).first)
        #expect(try row.intArray("i") == [1, -2, .max])
        #expect(try row.boolArray("b") == [true, false])
        #expect(try row.timestampArray("at") == [0, 1_763_657_321_001])
        #expect(try row.optionalDoubleArray("d") == [1.5, nil])
        #expect(try row.intArray("e") == [])
        #expect(throws: PostgresError.decoding(column: "d", expected: "an array of numbers")) {
            try row.doubleArray("d")
        }
    }

    @Test(
        "moments agree with PostgreSQL's own calendar, before Christ, on leap days and far in the future",
        arguments: [
            -62_167_219_200_000, -62_135_596_800_001, -210_866_803_200_000, -1, 0, 951_782_400_000, 1_709_164_800_999,
            4_107_542_399_999, 253_402_300_800_000, 9_224_318_015_999_999 / 1000,
        ] as [Int64])
    func moments(milliseconds: Int64) async throws {
        let connection = try await connect()
        defer { connection.close() }
        let row = try #require(
            try await connection.query(
                "SELECT $1::timestamptz AS at, (extract(epoch FROM $1::timestamptz) * 1000)::bigint AS ms",
                [.timestamp(milliseconds)]
            ).first)
        #expect(try row.timestamp("at") == milliseconds)
        #expect(try row.int("ms") == milliseconds)
    }

    @Test("a NUL in text is refused before anything is sent, alone and in an array")
    func nul() async throws {
        let connection = try await connect()
        defer { connection.close() }
        for value in [PostgresValue.text("a\0b"), .textArray(["a", "\0"])] {
            let error = await #expect(throws: PostgresError.self) {
                _ = try await connection.query("SELECT $1", [value])
            }
            #expect(error?.sqlState == "22021")
        }
    }

    @Test("a column that is absent, null or of another type is named in the error")
    func decodingErrors() async throws {
        let connection = try await connect()
        defer { connection.close() }
        let row = try #require(try await connection.query("SELECT 'x' AS t, NULL::int AS n").first)
        #expect(throws: PostgresError.decoding(column: "missing", expected: "a whole number")) {
            try row.int("missing")
        }
        #expect(throws: PostgresError.decoding(column: "t", expected: "a whole number")) { try row.int("t") }
        #expect(throws: PostgresError.decoding(column: "n", expected: "a whole number")) { try row.int("n") }
    }
}

@Suite("Configuration")
struct ConfigurationTests {
    @Test("a password is not in any printed form")
    func redaction() throws {
        let configuration = try PostgresConfiguration(
            connectionString: "postgresql://runner:s3cret@db.example:5433/campus?sslmode=require")
        var dumped = ""
        dump(configuration, to: &dumped)
        let printed = "\(configuration) \(String(reflecting: configuration)) \(dumped)"
        #expect(!printed.contains("s3cret"))
        #expect(configuration.description == "runner@db.example:5433/campus")
    }

    @Test("nonsense is refused without being repeated")
    func nonsense() {
        let error = #expect(throws: PostgresConfiguration.Invalid.self) {
            try PostgresConfiguration(connectionString: "s3cret and nonsense")
        }
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }
}
