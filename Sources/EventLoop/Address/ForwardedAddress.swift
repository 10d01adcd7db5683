/// Who is at the other end when proxies are in between.
///
/// `X-Forwarded-For` lists addresses, each proxy adding at the right whom it was connected to. Anybody can send the field,
/// so only what a trusted proxy added counts: from the right, the first address that is not a trusted proxy's own.
public enum ForwardedAddress {
    /// Entries looked at, from the right; no sensible chain is longer.
    static let entriesMax = 32

    /// The client's address.
    /// - Parameters:
    ///   - peer: The connection's peer, numeric.
    ///   - forwardedFor: The value of `X-Forwarded-For`, several fields joined by commas; nil without one.
    ///   - trusted: The networks of proxies that are believed.
    /// - Returns: A numeric address: `peer` itself unless that is a trusted proxy.
    public static func client(peer: String, forwardedFor: String?, trusted: [NetworkPrefix]) -> String {
        guard let forwardedFor, !trusted.isEmpty, let address = IPAddress(peer), isTrusted(address, trusted) else {
            return peer
        }
        var client = address
        // By scalars: as characters, a comma and what combines with it would be one, and no comma.
        var rest = forwardedFor[...].unicodeScalars
        for _ in 0..<entriesMax where !rest.isEmpty {
            let comma = rest.lastIndex(of: ",")
            let entry = comma.map { rest[rest.index(after: $0)...] } ?? rest
            rest = comma.map { rest[..<$0] } ?? rest[rest.endIndex...]
            // What is no address ends the chain: whoever wrote it knew no better, and what is before it is hearsay.
            guard let next = parse(entry) else { break }
            client = next
            if !isTrusted(next, trusted) { break }
        }
        return client.description
    }

    private static func isTrusted(_ address: IPAddress, _ trusted: [NetworkPrefix]) -> Bool {
        trusted.contains { $0.contains(address) }
    }

    /// An address as proxies write it: bare, in brackets, or with a port.
    private static func parse(_ entry: Substring.UnicodeScalarView) -> IPAddress? {
        var text = entry
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return IPAddress(Substring(text[text.index(after: text.startIndex)..<end]))
        }
        // One colon: IPv4 and a port. More: IPv6.
        if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") { text = text[..<colon] }
        return IPAddress(Substring(text))
    }
}
