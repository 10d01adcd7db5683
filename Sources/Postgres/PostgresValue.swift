/// A parameter of a statement.
///
/// Values are sent apart from the SQL, in text format, and PostgreSQL infers their types from the statement. Where it cannot, write
/// a cast: `unnest($1::bigint[])`, `$2::timestamptz`.
public enum PostgresValue: Equatable, Sendable {
    /// SQL `NULL`.
    case null
    /// For `smallint`, `integer` and `bigint`.
    case int(Int64)
    /// For `double precision`, `real` and `numeric`. A magnitude below the smallest normal `real` becomes 0.
    case double(Double)
    /// For `boolean`.
    case bool(Bool)
    /// Text, also for `json`, `jsonb`, enumerations and geometry as WKT. Text with a NUL character is rejected (SQLSTATE 22021).
    case text(String)
    /// For `timestamptz`: milliseconds since 1970-01-01T00:00:00Z. `Int64.max` is `infinity`, `Int64.min` is `-infinity`.
    case timestamp(Int64)
    /// A UUID as hexadecimal text with hyphens.
    case uuid(String)
    /// For `bytea`.
    case bytes([UInt8])
    /// For `bigint[]`.
    case intArray([Int64])
    /// For `double precision[]`.
    case doubleArray([Double])
    /// For `text[]`.
    case textArray([String])
    /// For `boolean[]`.
    case boolArray([Bool])
    /// For `timestamptz[]`, in milliseconds since 1970-01-01T00:00:00Z.
    case timestampArray([Int64])
    /// For `bigint[]`; nil is `NULL`.
    case optionalIntArray([Int64?])
    /// For `double precision[]`; nil is `NULL`.
    case optionalDoubleArray([Double?])
    /// For `text[]`; nil is `NULL`.
    case optionalTextArray([String?])
    /// For `timestamptz[]`, in milliseconds since 1970-01-01T00:00:00Z; nil is `NULL`.
    case optionalTimestampArray([Int64?])
}

extension PostgresValue {
    public static func optional(_ value: Int64?) -> PostgresValue { value.map { .int($0) } ?? .null }
    public static func optional(_ value: Double?) -> PostgresValue { value.map { .double($0) } ?? .null }
    public static func optional(_ value: String?) -> PostgresValue { value.map { .text($0) } ?? .null }
    public static func optional(_ value: Bool?) -> PostgresValue { value.map { .bool($0) } ?? .null }
    /// A `timestamptz` in milliseconds since 1970-01-01T00:00:00Z, or `NULL`.
    public static func optional(timestamp value: Int64?) -> PostgresValue { value.map { .timestamp($0) } ?? .null }
}

/// A statement and its parameters.
public struct PostgresStatement: Equatable, Sendable {
    /// One SQL statement. Each connection prepares it once and identifies it by its text, so never interpolate values into it.
    public var sql: String
    /// The values of `$1`, `$2`, and so on.
    public var parameters: [PostgresValue]

    public init(_ sql: String, _ parameters: [PostgresValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}
