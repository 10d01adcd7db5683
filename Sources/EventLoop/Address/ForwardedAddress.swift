/// Determines the client's address behind reverse proxies.
///
/// `X-Forwarded-For` lists addresses; each proxy appends the address of its own peer. Any client can send the header, so only
/// entries appended by a trusted proxy count: the client is the first address, from the right, that is not a trusted proxy.
public enum ForwardedAddress {
    /// Entries examined, from the right; no realistic proxy chain is longer.
    static let entriesMax = 32

    /// Returns the client's address.
    /// - Parameters:
    ///   - peer: The connection's peer, numeric.
    ///   - forwardedFor: The value of `X-Forwarded-For`, several header fields joined by commas; nil if absent.
    ///   - trusted: The networks of trusted proxies.
    /// - Returns: A numeric address: `peer` itself unless that is a trusted proxy.
    public static func client(peer: String, forwardedFor: String?, trusted: [NetworkPrefix]) -> String {
        guard let forwardedFor, !trusted.isEmpty, let address = IPAddress(peer), isTrusted(address, trusted) else {
            return peer
        }
        var client = address
        // Splits by scalars: a comma followed by a combining character is one `Character`, which does not equal a comma.
        var rest = forwardedFor[...].unicodeScalars
        for _ in 0..<entriesMax where !rest.isEmpty {
            let comma = rest.lastIndex(of: ",")
            let entry = comma.map { rest[rest.index(after: $0)...] } ?? rest
            rest = comma.map { rest[..<$0] } ?? rest[rest.endIndex...]
            // An entry that is not an address ends the chain: the proxy that appended it did not know its peer, so earlier entries
            // are not trustworthy.
            guard let next = parse(entry) else { break }
            client = next
            if !isTrusted(next, trusted) { break }
        }
        return client.description
    }

    private static func isTrusted(_ address: IPAddress, _ trusted: [NetworkPrefix]) -> Bool {
        trusted.contains { $0.contains(address) }
    }

    /// Parses an address as proxies write it: bare, in brackets, or with a port.
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
