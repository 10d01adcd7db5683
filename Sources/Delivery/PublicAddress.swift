import EventLoop
import Glibc

/// Check that a destination from a client is on the public Internet and not in an internal network.
public enum PublicAddress {
    /// Networks in IANA's registries of special-purpose addresses (RFC 6890) that are not globally reachable.
    private static let special: [NetworkPrefix] = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Teredo and neighbouring ranges, documentation, and 6to4, which embeds an IPv4 address.
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].compactMap { NetworkPrefix($0) }
    /// All global IPv6 unicast space assigned so far (RFC 4291 §2.4). It excludes mapped, translated (64:ff9b::/96), local and
    /// multicast addresses.
    private static let global = NetworkPrefix("2000::/3")

    /// Whether an address is on the public Internet.
    public static func isPublic(_ address: IPAddress) -> Bool {
        guard address.isIPv4 || global?.contains(address) == true else { return false }
        return !special.contains { $0.contains(address) }
    }

    /// Suffixes of names that are internal to a network or not resolvable (RFC 6761, RFC 8375).
    private static let internalNames = [
        "local", "localhost", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "test", "example",
        "invalid", "onion", "arpa", "localdomain",
    ]

    /// Whether a name may be public: letters, digits and hyphens in two labels or more, and no numeric address.
    static func mayBePublic(name: String) -> Bool {
        let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, name.utf8.count <= 253, let last = labels.last else { return false }
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy {
                    (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-")
                }
        }
        // The last label must begin with a letter: some programs read 127.1 and 0x7f.1 as addresses.
        guard areLabels, let first = last.utf8.first, (97...122).contains(first) else { return false }
        return !internalNames.contains { labels.joined(separator: ".").hasSuffix(".\($0)") || last == $0 }
    }

    /// The current addresses of a name. Blocks: call it on a worker thread.
    /// - Returns: The addresses; nil for one that cannot be public, such as `fe80::1%eth0`.
    public static func addresses(of name: String) -> [IPAddress?] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [IPAddress?] = []
        var next = first
        while let entry = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
                let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                addresses.append(IPAddress(String(decoding: bytes, as: UTF8.self)))
            }
            next = entry.ai_next
        }
        return addresses
    }
}
