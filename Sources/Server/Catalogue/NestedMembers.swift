import Wire

/// Collects the names of all members of a type, those of nested types included, by decoding the type from made-up values.
///
/// A type that chooses its members by a value that was decoded contributes the members of one choice only.
enum NestedMembers {
    /// Types that contain each other end here.
    private static let depthMax = 8

    static func names<T: Decodable>(of type: T.Type) -> Set<String> {
        let collector = Collector()
        _ = try? T(from: Source(collector: collector, depth: 0))
        return collector.names
    }

    private final class Collector {
        var names: Set<String> = []
    }

    private struct CannotMakeUp: Error {}

    private static func madeUp<T: Decodable>(_ type: T.Type, _ source: Source) throws -> T {
        if let cases = type as? any CaseIterable.Type, let first = firstCase(cases) as? T { return first }
        if let time = Timestamp(milliseconds: 0) as? T { return time }
        if let pair = LatLon(0, 0) as? T { return pair }
        for case let value as T in [
            true, "a", 1.0, 1, Int64(1), Int32(1), Int16(1), Int8(1), UInt64(1), UInt32(1), UInt16(1), UInt8(1), Float(1),
        ] as [any Sendable] { return value }
        guard source.depth < depthMax else { throw CannotMakeUp() }
        return try T(from: Source(collector: source.collector, depth: source.depth + 1))
    }

    private static func firstCase<C: CaseIterable>(_ type: C.Type) -> Any? { C.allCases.first }

    private struct Source: Decoder {
        let collector: Collector
        let depth: Int
        var codingPath: [any CodingKey] = []
        var userInfo: [CodingUserInfoKey: Any] = [:]

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(Members<Key>(source: self))
        }
        func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(source: self) }
        func singleValueContainer() -> any SingleValueDecodingContainer { Value(source: self) }
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let source: Source
        var codingPath: [any CodingKey] = []
        var allKeys: [Key] = []

        init(source: Source) { self.source = source }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool {
            source.collector.names.insert(key.stringValue)
            return false
        }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            source.collector.names.insert(key.stringValue)
            return try NestedMembers.madeUp(type, source)
        }
        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? {
            source.collector.names.insert(key.stringValue)
            return try? NestedMembers.madeUp(type, source)
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedDecodingContainer<Nested> { source.container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { source.unkeyedContainer() }
        func superDecoder() -> any Decoder { source }
        func superDecoder(forKey key: Key) -> any Decoder { source }
    }

    /// An array of one element.
    private struct Elements: UnkeyedDecodingContainer {
        let source: Source
        var codingPath: [any CodingKey] = []
        var count: Int? { 1 }
        var currentIndex = 0
        var isAtEnd: Bool { currentIndex > 0 }

        init(source: Source) { self.source = source }

        func decodeNil() -> Bool { false }
        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
            currentIndex += 1
            return try NestedMembers.madeUp(type, source)
        }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) -> KeyedDecodingContainer<Nested> {
            currentIndex += 1
            return source.container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
            currentIndex += 1
            return source.unkeyedContainer()
        }
        mutating func superDecoder() -> any Decoder {
            currentIndex += 1
            return source
        }
    }

    private struct Value: SingleValueDecodingContainer {
        let source: Source
        var codingPath: [any CodingKey] = []

        init(source: Source) { self.source = source }

        func decodeNil() -> Bool { false }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try NestedMembers.madeUp(type, source) }
    }
}
