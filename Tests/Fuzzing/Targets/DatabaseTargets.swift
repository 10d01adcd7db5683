import CLibpq
import Glibc

@testable import Postgres

extension FuzzTarget {
    static let database = [FuzzTarget("postgres-values", inputBytesMax: 256, run: DatabaseRules.values)]
}

/// Values in PostgreSQL's text format.
private enum DatabaseRules {
    /// The input is the one value of an answer, read as everything a column can be; and a value that is sent.
    static func values(_ input: [UInt8]) throws {
        guard let rows = answer(input), let row = rows.first else {
            throw BrokenRule(description: "libpq makes an answer")
        }
        let text = try row.text("a")
        try demandEqual(text, String(decoding: input, as: UTF8.self), "text is as it is")
        _ = try? row.int("a")
        _ = try? row.double("a")
        _ = try? row.bool("a")
        _ = try? row.intArray("a")
        _ = try? row.doubleArray("a")
        _ = try? row.boolArray("a")
        _ = try? row.timestampArray("a")
        if let uuid = try? row.uuid("a") { try demandEqual(uuid.utf8.count, 36, "a UUID is 36 bytes") }
        if let bytes = try? row.bytes("a") {
            try demandEqual(
                try sent(.bytes(bytes)).flatMap { try $0.bytes("a") }, bytes, "bytes come back as they were")
        }
        if let time = try? row.timestamp("a") {
            try demandEqual(
                try sent(.timestamp(time)).flatMap { try $0.timestamp("a") }, time, "times come back as they were")
        }
        // PostgreSQL itself has no NUL in a text.
        if !input.contains(0), let texts = try? row.optionalTextArray("a") {
            try demandEqual(
                try sent(.optionalTextArray(texts)).flatMap { try $0.optionalTextArray("a") }, texts,
                "arrays come back as they were")
        }
        do {
            _ = try row.int("b")
            throw BrokenRule(description: "a missing column is an error")
        } catch let error as PostgresError {
            try demandPlain("\(error)")
        }
        try checkSent(input)
    }

    private static func checkSent(_ input: [UInt8]) throws {
        try demandEqual(try sent(.bytes(input)).flatMap { try $0.bytes("a") }, input, "bytes come back as they were")
        var reader = InputReader(input)
        let number = Int64(bitPattern: reader.number(8))
        try demandEqual(try sent(.int(number)).flatMap { try $0.int("a") }, number, "numbers come back as they were")
        let double = Double(bitPattern: UInt64(bitPattern: number))
        try demandEqual(
            try sent(.double(double)).flatMap { try $0.double("a") }?.isNaN, double.isNaN,
            "numbers come back as they were")
        if !double.isNaN {
            // Nearer to zero than `real` goes, they are sent as zero.
            let kept = double.magnitude < Double(Float.leastNormalMagnitude) ? 0 : double
            try demandEqual(
                try sent(.double(double)).flatMap { try $0.double("a") }, kept, "numbers come back as they were")
        }
        // PostgreSQL's own range: 4714 BC to 294276.
        let time = number % 9_224_318_016_000_000
        if time > -210_866_803_200_000 {
            try demandEqual(
                try sent(.timestamp(time)).flatMap { try $0.timestamp("a") }, time, "times come back as they were")
        }
        let texts = input.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        try demandEqual(
            try sent(.textArray(texts))?.textArray("a"), texts.contains { $0.utf8.contains(0) } ? nil : texts,
            "texts come back as they were")
    }

    /// A parameter as it would come back from PostgreSQL, which writes as we do; nil when it is refused, for a NUL.
    private static func sent(_ value: PostgresValue) throws -> PostgresRow? {
        guard let buffer = try? ParameterBuffer([value]) else { return nil }
        let bytes = buffer.withPointers { _, values -> [UInt8]? in
            guard let text = values?[0] else { return nil }
            return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
        return bytes.flatMap(answer)?.first
    }

    private static func answer(_ value: [UInt8]) -> PostgresRows? {
        guard let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { return nil }
        var name = Array("a".utf8CString)
        var bytes = value.map { CChar(bitPattern: $0) }
        let isMade = name.withUnsafeMutableBufferPointer { name in
            var column = PGresAttDesc()
            column.name = name.baseAddress
            return PQsetResultAttrs(result, 1, &column) == 1
                && PQsetvalue(result, 0, 0, &bytes, Int32(bytes.count)) == 1
        }
        guard isMade else {
            PQclear(result)
            return nil
        }
        return PostgresRows(result)
    }
}
