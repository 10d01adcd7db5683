import Glibc

/// IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2) equals its IPv4 address, because a
/// dual-stack socket reports its IPv4 peers in that form.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The upper half of the 128 bits; an IPv4 address is stored in its mapped form.
    let high: UInt64
    let low: UInt64

    private static let mappedPrefix: UInt64 = 0xffff_0000_0000

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(v4 address: UInt32) { self.init(high: 0, low: Self.mappedPrefix | UInt64(address)) }

    /// - Parameter text: A numeric address without port or brackets. The initialiser returns nil for anything else.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4: UInt32(bigEndian: v4.s_addr))
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        self.init(v6)
    }

    /// Creates the address of a socket; nil for a socket that is neither IPv4 nor IPv6.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            self = withUnsafePointer(to: &storage) {
                $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    IPAddress(v4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
                }
            }
        case AF_INET6:
            self = withUnsafePointer(to: &storage) {
                $0.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { IPAddress($0.pointee.sin6_addr) }
            }
        default: return nil
        }
    }

    private init(_ address: in6_addr) {
        let (high, low) = withUnsafeBytes(of: address) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
    }

    public var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix >> 32 }

    /// The address itself, or for IPv6 its /64 network. Providers give each customer 64 bits of addresses (RFC 6177), so one
    /// customer could otherwise appear as any number of clients.
    var subscriber: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// The numeric form.
    public var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let length = socklen_t(buffer.count)
            if isIPv4 {
                var address = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
                inet_ntop(AF_INET, &address, buffer.baseAddress, length)
            } else {
                var words = (high.bigEndian, low.bigEndian)
                inet_ntop(AF_INET6, &words, buffer.baseAddress, length)
            }
            return buffer.baseAddress.map { String(cString: $0) } ?? "?"
        }
    }
}

/// Network in CIDR notation, such as `192.0.2.0/24`, `2001:db8::/32` or a single address.
public struct NetworkPrefix: Sendable, Hashable {
    private let address: IPAddress
    /// Length of the prefix in the 128-bit form: for IPv4, 96 more than in CIDR notation.
    private let bits: Int

    /// This machine itself.
    public static let loopback: [NetworkPrefix] = [
        NetworkPrefix(IPAddress(v4: 0x7f00_0000), bits: 96 + 8), NetworkPrefix(IPAddress(high: 0, low: 1), bits: 128),
    ]

    /// Every address.
    public static let all = [NetworkPrefix(IPAddress(high: 0, low: 0), bits: 0)]

    private init(_ address: IPAddress, bits: Int) {
        let (high, low) = Self.mask(bits)
        self.address = IPAddress(high: address.high & high, low: address.low & low)
        self.bits = bits
    }

    /// - Parameter text: An address, optionally with `/` and the prefix's length. The initialiser returns nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        // In IPv6 notation, also for a mapped IPv4 address, the length refers to all 128 bits.
        let writtenBits = first.contains(":") ? 128 : 32
        var bits = writtenBits
        if parts.count > 1 {
            guard let given = Int(parts[1]), (0...writtenBits).contains(given) else { return nil }
            bits = given
        }
        self.init(address, bits: bits + 128 - writtenBits)
    }

    public func contains(_ other: IPAddress) -> Bool {
        let (high, low) = Self.mask(bits)
        return other.high & high == address.high && other.low & low == address.low
    }

    private static func mask(_ bits: Int) -> (UInt64, UInt64) {
        // A shift by 64 or more gives 0 in Swift.
        (bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits)), bits <= 64 ? 0 : ~(UInt64.max >> UInt64(bits - 64)))
    }
}
