import Wire

/// Id of a destination: a kind and a number, written as `room/34`.
struct DestinationID: Hashable, Sendable, CustomStringConvertible {
    let kind: DestinationKind
    let number: Int64

    init(_ kind: DestinationKind, _ number: Int64) {
        self.kind = kind
        self.number = number
    }

    /// - Returns: Nil if the text is no id.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = DestinationKind(rawValue: String(parts[0])), parts[1].utf8.count <= 16,
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(parts[1]),
            ObjectIDRange.allowed.contains(number)
        else { return nil }
        self.init(kind, number)
    }

    var description: String { "\(kind.rawValue)/\(number)" }
}
