import Testing

@testable import EventLoop

@Suite("Limits for each address")
struct AddressLimitsTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private func rules(open: Int = 100, rate: Int = 10, burst: Int = 5, table: Int = 4) -> AddressLimits.Rules {
        var rules = AddressLimits.Rules()
        (rules.openMax, rules.perSecondMax, rules.burstMax, rules.addressesMax) = (open, rate, burst, table)
        return rules
    }

    @Test("An address may have a limited number of open connections, and one that ends makes room")
    func open() throws {
        var limits = AddressLimits(rules(open: 2))
        let (one, other) = (try address("192.0.2.1"), try address("192.0.2.2"))
        #expect(limits.admit(one, now: 0) == .admitted)
        #expect(limits.admit(one, now: 0) == .admitted)
        #expect(limits.admit(one, now: 0) == .tooManyOpen)
        #expect(limits.admit(other, now: 0) == .admitted)
        limits.release(one)
        #expect(limits.admit(one, now: 0) == .admitted)
    }

    @Test("a burst passes, then the rate holds, and a refused attempt costs nothing")
    func rate() throws {
        var limits = AddressLimits(rules(rate: 10, burst: 5))
        let one = try address("192.0.2.1")
        for _ in 0..<5 { #expect(limits.admit(one, now: 1_000) == .admitted) }
        for _ in 0..<20 { #expect(limits.admit(one, now: 1_000) == .tooFast(retryAfter: 1)) }
        // One every 100 ms.
        #expect(limits.admit(one, now: 100_001_000) == .admitted)
        #expect(limits.admit(one, now: 100_001_000) == .tooFast(retryAfter: 1))
        // After a quiet second the whole burst is there again.
        for _ in 0..<5 { #expect(limits.admit(one, now: 2_000_000_000) == .admitted) }
        #expect(limits.admit(one, now: 2_000_000_000) == .tooFast(retryAfter: 1))
    }

    @Test("all addresses of an IPv6 /64 are one, IPv4 written as IPv6 is IPv4")
    func networks() throws {
        var limits = AddressLimits(rules(open: 1))
        #expect(limits.admit(try address("2001:db8:1:2::1"), now: 0) == .admitted)
        #expect(limits.admit(try address("2001:db8:1:2:ffff::9"), now: 0) == .tooManyOpen)
        #expect(limits.admit(try address("2001:db8:1:3::1"), now: 0) == .admitted)
        #expect(limits.admit(try address("192.0.2.1"), now: 0) == .admitted)
        #expect(limits.admit(try address("::ffff:192.0.2.1"), now: 0) == .tooManyOpen)
    }

    @Test("the table is bounded: the longest idle address is forgotten, one with open connections never")
    func eviction() throws {
        var limits = AddressLimits(rules(open: 1, burst: 1, table: 3))
        let busy = try address("192.0.2.1")
        let idle = try (2...3).map { try address("192.0.2.\($0)") }
        #expect(limits.admit(busy, now: 0) == .admitted)
        for address in idle {
            #expect(limits.admit(address, now: 0) == .admitted)
            limits.release(address)
        }
        // Takes the place of 192.0.2.2, which was idle longest: its spent burst is forgotten, the other's is not.
        #expect(limits.admit(try address("192.0.2.4"), now: 0) == .admitted)
        #expect(limits.count == 3)
        #expect(limits.admit(idle[1], now: 0) == .tooFast(retryAfter: 1))
        #expect(limits.admit(idle[0], now: 0) == .admitted)
        #expect(limits.count == 3)
        // Now every address in the table has a connection open.
        #expect(limits.admit(try address("192.0.2.5"), now: 0) == .tooManyOpen)
        #expect(limits.admit(busy, now: 0) == .tooManyOpen)
        limits.release(busy)
        #expect(limits.admit(try address("192.0.2.5"), now: 0) == .admitted)
    }

    @Test("a long random life keeps the count of what is open exact")
    func exactness() throws {
        var limits = AddressLimits(rules(open: 3, rate: 1_000_000, burst: 1_000_000, table: 64))
        var open: [IPAddress: Int] = [:]
        var state: UInt64 = 42
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        for step in 0..<20_000 {
            let address = IPAddress(v4: UInt32(next(50)))
            if next(2) == 0 {
                let verdict = limits.admit(address, now: UInt64(step) &* 1_000)
                #expect((verdict == .admitted) == (open[address, default: 0] < 3))
                if verdict == .admitted { open[address, default: 0] += 1 }
            } else if open[address, default: 0] > 0 {
                limits.release(address)
                open[address, default: 0] -= 1
            }
        }
        #expect(limits.count <= 50)
    }
}

@Suite("Addresses and proxies")
struct AddressTests {
    @Test("networks are read and matched, in IPv4 and IPv6; anything else is no network")
    func prefixes() throws {
        func contains(_ network: String, _ address: String) throws -> Bool {
            let network = try #require(NetworkPrefix(network))
            return network.contains(try #require(IPAddress(address)))
        }
        #expect(try contains("192.0.2.0/24", "192.0.2.255"))
        #expect(try !contains("192.0.2.0/24", "192.0.3.0"))
        #expect(try contains("192.0.2.77/24", "192.0.2.1"))
        #expect(try contains("192.0.2.1", "192.0.2.1"))
        #expect(try contains("0.0.0.0/0", "203.0.113.9"))
        #expect(try !contains("0.0.0.0/0", "2001:db8::1"))
        #expect(try contains("::/0", "203.0.113.9"))
        #expect(try contains("2001:db8::/33", "2001:db8:7fff::1"))
        #expect(try !contains("2001:db8::/33", "2001:db8:8000::1"))
        #expect(try contains("2001:db8::/127", "2001:db8::1"))
        #expect(try !contains("2001:db8::/127", "2001:db8::2"))
        #expect(try contains("192.0.2.0/24", "::ffff:192.0.2.9"))
        for wrong in ["", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "localhost", "192.0.2/24", "::/129", "[::1]"] {
            #expect(NetworkPrefix(wrong) == nil, "\(wrong)")
        }
        #expect(NetworkPrefix.loopback.contains { $0.contains(IPAddress(v4: 0x7f12_3456)) })
        #expect(IPAddress("2001:DB8::1")?.description == "2001:db8::1")
        #expect(IPAddress("::ffff:192.0.2.9")?.description == "192.0.2.9")
    }

    @Test(
        "the client is the rightmost address that no trusted proxy has",
        arguments: [
            // Nobody is trusted, or the peer is not: the field says nothing.
            ("203.0.113.9", "198.51.100.7", "203.0.113.9"),
            ("10.0.0.1", nil, "10.0.0.1"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
            // What the client wrote itself stands further left.
            ("10.0.0.1", "1.1.1.1, 198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "1.1.1.1, 198.51.100.7 ,10.0.0.2", "198.51.100.7"),
            ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
            // With ports, brackets, IPv6.
            ("10.0.0.1", "198.51.100.7:4711", "198.51.100.7"),
            ("10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"),
            ("10.0.0.1", "2001:db8::7", "2001:db8::7"),
            ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
            // What is no address ends the chain.
            ("10.0.0.1", "198.51.100.7, unknown", "10.0.0.1"),
            ("10.0.0.1", "198.51.100.7, unknown, 10.0.0.2", "10.0.0.2"),
            ("10.0.0.1", "198.51.100.7,,", "10.0.0.1"),
            ("10.0.0.1", "[2001:db8::7", "10.0.0.1"),
            // As characters, a comma and what combines with it are one.
            ("10.0.0.1", "\u{600}, 198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "192.0.2.1,\u{301}", "10.0.0.1"),
        ] as [(String, String?, String)])
    func forwarded(peer: String, field: String?, client: String) throws {
        let trusted = [try #require(NetworkPrefix("10.0.0.0/8"))]
        #expect(ForwardedAddress.client(peer: peer, forwardedFor: field, trusted: trusted) == client)
        #expect(ForwardedAddress.client(peer: peer, forwardedFor: field, trusted: []) == peer)
    }

    @Test("a chain without end is not followed to the end")
    func endless() throws {
        let trusted = [try #require(NetworkPrefix("10.0.0.0/8"))]
        let field = "198.51.100.7," + Array(repeating: "10.0.0.2", count: 10_000).joined(separator: ",")
        #expect(ForwardedAddress.client(peer: "10.0.0.1", forwardedFor: field, trusted: trusted) == "10.0.0.2")
    }

    @Test("All that one address may have open can come back at once after a quiet time, and no more")
    func everybodyAtOnce() throws {
        let one = try #require(IPAddress("192.0.2.1"))
        let rules = AddressLimits.Rules()
        var limits = AddressLimits(rules)
        var now: UInt64 = 0
        for _ in 0..<2 {
            for _ in 0..<rules.openMax { #expect(limits.admit(one, now: now) == .admitted) }
            #expect(limits.admit(one, now: now) == .tooManyOpen)
            for _ in 0..<rules.openMax { limits.release(one) }
            // Those who come at once a second time wait.
            #expect(limits.admit(one, now: now) == .tooFast(retryAfter: 1))
            now += UInt64(rules.openMax / rules.perSecondMax + 1) * 1_000_000_000
        }
    }
}
