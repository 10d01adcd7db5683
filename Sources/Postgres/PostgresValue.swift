/// A parameter of a statement.
///
/// Values travel apart from the SQL, in text format; PostgreSQL infers their types from the statement. Where it cannot,
/// write the type: `unnest($1::bigint[])`, `$2::timestamptz`.
public enum PostgresValue: Equatable, Sendable {
    /// SQL `NULL`.
    case null
    /// A whole number, for `smallint`, `integer` and `bigint`.
    case int(Int64)
    /// A number, for `double precision`, `real` and `numeric`.
    case double(Double)
    /// A truth value.
    case bool(Bool)
    /// Text, also for `json`, `jsonb`, enumerations and geometry as WKT. A NUL character is refused (SQLSTATE 22021).
    case text(String)
    /// A moment in milliseconds since 1970-01-01T00:00:00Z, for `timestamptz`.
    case timestamp(Int64)
    /// A UUID in its usual text form.
    case uuid(String)
    /// Bytes, for `bytea`.
    case bytes([UInt8])
    /// For `bigint[]`.
    case intArray([Int64])
    /// For `double precision[]`.
    case doubleArray([Double])
    /// For `text[]`.
    case textArray([String])
    /// For `boolean[]`.
    case boolArray([Bool])
    /// For `timestamptz[]`, milliseconds since 1970-01-01T00:00:00Z.
    case timestampArray([Int64])
    /// For `bigint[]`, nil is `NULL`.
    case optionalIntArray([Int64?])
    /// For `double precision[]`, nil is `NULL`.
    case optionalDoubleArray([Double?])
    /// For `text[]`, nil is `NULL`.
    case optionalTextArray([String?])
    /// For `timestamptz[]`, milliseconds since 1970-01-01T00:00:00Z, nil is `NULL`.
    case optionalTimestampArray([Int64?])
}

extension PostgresValue {
    /// A whole number, or `NULL`.
    public static func optional(_ value: Int64?) -> PostgresValue { value.map { .int($0) } ?? .null }
    /// A number, or `NULL`.
    public static func optional(_ value: Double?) -> PostgresValue { value.map { .double($0) } ?? .null }
    /// Text, or `NULL`.
    public static func optional(_ value: String?) -> PostgresValue { value.map { .text($0) } ?? .null }
    /// A truth value, or `NULL`.
    public static func optional(_ value: Bool?) -> PostgresValue { value.map { .bool($0) } ?? .null }
    /// A moment in milliseconds since 1970-01-01T00:00:00Z, or `NULL`.
    public static func optional(timestamp value: Int64?) -> PostgresValue { value.map { .timestamp($0) } ?? .null }
}

/// A statement and its parameters: `$1` in the SQL is the first.
public struct PostgresStatement: Equatable, Sendable {
    /// One SQL statement. Prepared once per connection and found again by its text: never splice values into it.
    public var sql: String
    /// The parameters, `$1` first.
    public var parameters: [PostgresValue]

    /// - Parameters:
    ///   - sql: One SQL statement.
    ///   - parameters: Its parameters, `$1` first.
    public init(_ sql: String, _ parameters: [PostgresValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}
