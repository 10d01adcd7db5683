import Wire

/// Shape of a value on the wire, read from its Swift type. `doctor --api` prints it, and tests and the fuzzer make requests from it.
public indirect enum WireShape: Sendable, Equatable {
    case string
    case bool
    /// RFC 3339.
    case time
    /// An integer, with the bounds of its type if it has any.
    case whole(Bounds?)
    /// A number, with the bounds of its type if it has any.
    case number(Bounds?)
    /// One of these strings.
    case choice([String])
    case array(WireShape)
    /// `[latitude, longitude]`.
    case position
    case object([Member])

    /// Smallest and largest number as the Protocol article writes them.
    public struct Bounds: Sendable, Equatable {
        public let low: String
        public let high: String

        public init(low: String, high: String) { (self.low, self.high) = (low, high) }
    }

    /// A member of an object.
    public struct Member: Sendable, Equatable {
        public let name: String
        /// Whether the member may be omitted.
        public let isOptional: Bool
        public let shape: WireShape
    }

    /// Shape of a type. If an object has a member without an example value, its shape ends with that member.
    public static func of(_ type: any Decodable.Type) -> WireShape {
        switch type {
        case is String.Type: return .string
        case is Bool.Type: return .bool
        case is Timestamp.Type: return .time
        case is LatLon.Type: return .position
        case is Double.Type: return .number(nil)
        case is any FixedWidthInteger.Type: return .whole(nil)
        case let within as any WithinRange.Type:
            let bounds = within.bounds
            return of(within.wrappedType).bounded(by: Bounds(low: bounds.low, high: bounds.high))
        case let array as any WireArray.Type: return .array(of(array.elementType))
        case let choice as any WireChoice.Type: return .choice(names(of: choice))
        default: break
        }
        let recorder = MemberRecorder()
        _ = try? type.init(from: RecordingDecoder(recorder: recorder))
        return .object(recorder.shapes)
    }

    private static func names<Choice: WireChoice>(_ type: Choice.Type) -> [String] { type.allCases.map(\.rawValue) }
    private static func names(of type: any WireChoice.Type) -> [String] { names(type) }

    private func bounded(by bounds: Bounds) -> WireShape {
        switch self {
        case .whole: .whole(bounds)
        case .number: .number(bounds)
        case .array(let element): .array(element.bounded(by: bounds))
        default: self
        }
    }
}

/// An array whose element type can be read without knowing it.
protocol WireArray {
    static var elementType: any Decodable.Type { get }
}

extension Array: WireArray where Element: Decodable {
    static var elementType: any Decodable.Type { Element.self }
}

/// An object with arbitrary names, whose value type can be read without knowing it.
protocol WireDictionary {
    static var valueType: any Decodable.Type { get }
}

extension Dictionary: WireDictionary where Key == String, Value: Decodable {
    static var valueType: any Decodable.Type { Value.self }
}
