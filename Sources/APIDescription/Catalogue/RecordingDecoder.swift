import Wire

/// Records the members that a type decodes, and returns example values so that decoding continues.
///
/// `doctor --api` thereby prints the catalogue from the wire types themselves, so that it cannot become outdated.
final class MemberRecorder {
    private var noted: [(name: String, type: any Decodable.Type, isOptional: Bool)] = []

    fileprivate func note(_ key: any CodingKey, _ type: any Decodable.Type, isOptional: Bool) {
        noted.append((key.stringValue, type, isOptional))
    }

    /// Members as `doctor --api` prints them.
    var members: [String] { noted.map { "\($0.name): \(Self.name(of: $0.type))\($0.isOptional ? "?" : "")" } }

    /// Members with their types.
    var types: [(name: String, type: any Decodable.Type, isOptional: Bool)] { noted }

    /// Members with their shapes.
    var shapes: [WireShape.Member] {
        noted.map { WireShape.Member(name: $0.name, isOptional: $0.isOptional, shape: WireShape.of($0.type)) }
    }

    static func name(of type: Any.Type) -> String {
        if let within = type as? any WithinRange.Type { return name(of: within.wrappedType) }
        return "\(type)".replacing("Publication<NoticeEvent>", with: "Publication").replacing("Int64", with: "Int")
            .replacing(
                "UInt8", with: "Int"
            )
            .replacing(
                "Array<", with: "["
            ).replacing(">", with: "]")
    }
}

struct RecordingDecoder: Decoder {
    let recorder: MemberRecorder
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] = [:]

    init(recorder: MemberRecorder) { self.recorder = recorder }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members<Key>(recorder: recorder))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoExampleValue() }

    func singleValueContainer() -> any SingleValueDecodingContainer { OneValue() }

    struct NoExampleValue: Error {}

    /// An example value of `type` that decodes. The catalogue does not display it.
    fileprivate static func exampleValue<T: Decodable>(_ type: T.Type) throws -> T {
        if let array = [] as? T { return array }
        if let cases = type as? any CaseIterable.Type, let first = firstCase(cases) as? T { return first }
        if let within = type as? any WithinRange.Type, let example = within.example as? T { return example }
        if let time = Timestamp(milliseconds: 0) as? T { return time }
        // A fixed-width integer would decode itself recursively without end.
        if let number = UInt8(0) as? T { return number }
        if let number = UInt32(0) as? T { return number }
        if let number = UInt16(0) as? T { return number }
        if let pair = LatLon(0, 0) as? T { return pair }
        return try T(from: RecordingDecoder(recorder: MemberRecorder()))
    }

    private static func firstCase<C: CaseIterable>(_ type: C.Type) -> Any? { C.allCases.first }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let recorder: MemberRecorder
        var codingPath: [any CodingKey] = []
        var allKeys: [Key] = []

        init(recorder: MemberRecorder) { self.recorder = recorder }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { false }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            recorder.note(key, type, isOptional: false)
            return try RecordingDecoder.exampleValue(type)
        }
        func decode(_ type: Bool.Type, forKey key: Key) -> Bool { note(key, type, false) }
        func decode(_ type: String.Type, forKey key: Key) -> String { note(key, type, "") }
        func decode(_ type: Double.Type, forKey key: Key) -> Double { note(key, type, 0) }
        func decode(_ type: Int.Type, forKey key: Key) -> Int { note(key, type, 0) }
        func decode(_ type: Int64.Type, forKey key: Key) -> Int64 { note(key, type, 0) }

        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? {
            recorder.note(key, type, isOptional: true)
            return nil
        }
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { noteOptional(key, type) }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { noteOptional(key, type) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? { noteOptional(key, type) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { noteOptional(key, type) }
        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { noteOptional(key, type) }

        private func note<T: Decodable>(_ key: Key, _ type: T.Type, _ value: T) -> T {
            recorder.note(key, type, isOptional: false)
            return value
        }
        private func noteOptional<T: Decodable>(_ key: Key, _ type: T.Type) -> T? {
            recorder.note(key, type, isOptional: true)
            return nil
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedDecodingContainer<Nested> { KeyedDecodingContainer(Members<Nested>(recorder: MemberRecorder())) }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NoExampleValue() }
        func superDecoder() -> any Decoder { RecordingDecoder(recorder: recorder) }
        func superDecoder(forKey key: Key) -> any Decoder { RecordingDecoder(recorder: recorder) }
    }

    private struct OneValue: SingleValueDecodingContainer {
        var codingPath: [any CodingKey] = []
        func decodeNil() -> Bool { false }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try RecordingDecoder.exampleValue(type) }
    }
}
