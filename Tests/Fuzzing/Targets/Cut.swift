/// How an input is cut into the pieces a parser is given.
enum Cut: CaseIterable {
    /// All at once.
    case whole
    /// A few pieces, as a socket gives them.
    case pieces
    /// Byte by byte; for short inputs only, as it takes long.
    case bytes

    static let everyByteMax = 256

    func pieces(of input: [UInt8]) -> [ArraySlice<UInt8>] {
        switch self {
        case .whole: return [input[...]]
        case .bytes where input.count <= Self.everyByteMax: return input.indices.map { input[$0...$0] }
        case .bytes: return Cut.pieces.pieces(of: input)
        case .pieces:
            var generator = InputGenerator(input)
            var pieces: [ArraySlice<UInt8>] = []
            var rest = input[...]
            while !rest.isEmpty {
                let count = Int(generator.next() % 24) + 1
                pieces.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            return pieces
        }
    }
}

/// Numbers that follow from an input alone, so that it does the same each time (FNV-1a, then SplitMix64).
struct InputGenerator {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ input: [UInt8]) {
        for byte in input { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// Takes choices off the front of an input; zeros behind its end.
struct InputReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number(_ bytes: Int) -> UInt64 { (0..<bytes).reduce(0) { value, _ in value << 8 | UInt64(byte()) } }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

/// Bytes of the byte arrays and texts that a value holds, however deep.
func heldBytes(_ value: Any) -> Int {
    if let bytes = value as? [UInt8] { return bytes.count }
    if let text = value as? String { return text.utf8.count }
    return Mirror(reflecting: value).children.reduce(0) { $0 + heldBytes($1.value) }
}
