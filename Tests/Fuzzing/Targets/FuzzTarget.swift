/// A parser under fuzzing: what is run on an input, by the fuzzer and by the ordinary tests alike.
///
/// An input is what the parser gets from outside, byte for byte, so a recorded one can be dropped into the corpus. How it is
/// cut into pieces follows from its own bytes.
struct FuzzTarget: Sendable, CustomStringConvertible {
    /// As on the command line and in `Corpus` and `Dictionaries`.
    let name: String
    /// Longer inputs find nothing that shorter ones do not.
    let inputBytesMax: Int
    /// Throws ``BrokenRule`` when the parser breaks one of its promises; traps and sanitizer reports end the process.
    let run: @Sendable ([UInt8]) throws -> Void

    init(_ name: String, inputBytesMax: Int = 1024, run: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.inputBytesMax = inputBytesMax
        self.run = run
    }

    var description: String { name }

    /// All of them.
    static let all: [FuzzTarget] =
        webSocket + handshake + http + fields + text + rpc + names + binary + geography + database + bus + nodes
        + chat + openID + passkeys + training

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A promise that a parser did not keep.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String
}

/// Throws when `condition` is false. The rule says what should have been.
func demand(_ condition: Bool, _ rule: @autoclosure () -> String) throws {
    guard condition else { throw BrokenRule(description: rule()) }
}

/// Throws when the two differ.
func demandEqual<Value: Equatable>(_ left: Value, _ right: Value, _ rule: @autoclosure () -> String) throws {
    guard left == right else { throw BrokenRule(description: "\(rule()):\n  \(left)\n  \(right)") }
}

/// What people see of an error: one line that says something, without characters that move a terminal's cursor, and short whatever
/// the input was.
func demandPlain(_ message: String, bytesMax: Int = 400) throws {
    try demand(!message.isEmpty, "an error says something")
    try demand(message.utf8.count <= bytesMax, "an error is short: \(message.utf8.count) bytes")
    try demand(
        message.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) },
        "an error holds no control characters: \(message.debugDescription)")
}
