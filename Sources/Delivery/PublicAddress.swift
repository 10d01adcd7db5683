import EventLoop
import Glibc

/// Where a server may be sent by what a client writes: to public addresses of the Internet, and nowhere within.
public enum PublicAddress {
    /// Networks of IANA's registries of special addresses (RFC 6890) that are not the Internet's.
    private static let special: [NetworkPrefix] = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Teredo and its neighbours, documentation, and 6to4, which has an IPv4 address inside.
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].compactMap { NetworkPrefix($0) }
    /// All that is given out of IPv6 so far (RFC 4291 §2.4): mapped, translated (64:ff9b::/96), local and multicast are not in it.
    private static let global = NetworkPrefix("2000::/3")

    /// Whether an address is one of the Internet's.
    public static func isPublic(_ address: IPAddress) -> Bool {
        guard address.isIPv4 || global?.contains(address) == true else { return false }
        return !special.contains { $0.contains(address) }
    }

    /// Ends of names that are within a network, or that mean nothing outside (RFC 6761, RFC 8375).
    private static let internalNames = [
        "local", "localhost", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "test", "example",
        "invalid", "onion", "arpa", "localdomain",
    ]

    /// Whether a name may be one of the Internet's: letters, digits and hyphens, two labels or more, and no address.
    static func mayBePublic(name: String) -> Bool {
        let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, name.utf8.count <= 253, let last = labels.last else { return false }
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy {
                    (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-")
                }
        }
        // The last label of a name begins with a letter; 127.1 and 0x7f.1 are addresses to some programs.
        guard areLabels, let first = last.utf8.first, (97...122).contains(first) else { return false }
        return !internalNames.contains { labels.joined(separator: ".").hasSuffix(".\($0)") || last == $0 }
    }

    /// The addresses that a name has now. Blocks: on a worker.
    /// - Returns: Nil among them stands for one that is none of the Internet's, such as `fe80::1%eth0`.
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
