import Wire

/// What a value on the wire looks like, read off its Swift type: `doctor --api` prints it, and tests and the fuzzer make requests of it.
public indirect enum WireShape: Sendable, Equatable {
    case string
    case bool
    /// RFC 3339.
    case time
    /// A whole number; its bounds, if its type has any.
    case whole(Bounds?)
    /// A number; its bounds, if its type has any.
    case number(Bounds?)
    /// One of these strings.
    case choice([String])
    case array(WireShape)
    /// `[latitude, longitude]`.
    case position
    case object([Member])

    /// The smallest and the largest number, as the Protocol article writes them.
    public struct Bounds: Sendable, Equatable {
        /// The smallest.
        public let low: String
        /// The largest.
        public let high: String

        /// - Parameters:
        ///   - low: The smallest.
        ///   - high: The largest.
        public init(low: String, high: String) { (self.low, self.high) = (low, high) }
    }

    /// A member of an object.
    public struct Member: Sendable, Equatable {
        /// Its name on the wire.
        public let name: String
        /// Whether it may be left out.
        public let isOptional: Bool
        /// What its value looks like.
        public let shape: WireShape
    }

    /// Reads the shape of a type. An object that the recorder cannot make up has the members up to there.
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

/// An array whose elements' type is asked for without knowing it.
private protocol WireArray {
    static var elementType: any Decodable.Type { get }
}

extension Array: WireArray where Element: Decodable {
    fileprivate static var elementType: any Decodable.Type { Element.self }
}
