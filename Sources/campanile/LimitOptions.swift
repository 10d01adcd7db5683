import ArgumentParser
import CommandSupport
import EventLoop
import Server

/// Options for the limits and time limits of connections, part of ``ListenOptions``.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Connections open at once (CAMPANILE_CONNECTIONS_MAX). Default: the limit of open files less \(DescriptorLimit.headroom)",
            valueName: "count"))
    var connectionsMax: Int?

    @Option(
        help: ArgumentHelp(
            "Connections open at once from one address (CAMPANILE_ADDRESS_CONNECTIONS_MAX). Default: \(AddressLimits.Rules().openMax)",
            valueName: "count"))
    var addressConnectionsMax: Int?

    @Option(
        help: ArgumentHelp(
            "New connections a second from one address (CAMPANILE_ADDRESS_RATE_MAX). Default: \(AddressLimits.Rules().perSecondMax)",
            valueName: "count"))
    var addressRateMax: Int?

    @Option(
        help: ArgumentHelp(
            "New connections at once from one address (CAMPANILE_ADDRESS_BURST_MAX). Default: \(AddressLimits.Rules().burstMax)",
            valueName: "count"))
    var addressBurstMax: Int?

    @Option(
        help: ArgumentHelp(
            "Network of proxies whose X-Forwarded-For is trusted; may be repeated (CAMPANILE_TRUSTED_PROXY, comma-separated).",
            valueName: "cidr"))
    var trustedProxy: [String] = []

    @Option(
        help: ArgumentHelp(
            "Network whose clients may use plain HTTP, or any; may be repeated (CAMPANILE_PLAIN_HTTP, comma-separated).",
            discussion: "Default: this machine. Trusted proxies may, too.", valueName: "cidr"))
    var plainHTTP: [String] = []

    @Flag(help: "Apply the limits for each address to this machine's own addresses too (CAMPANILE_LIMIT_LOOPBACK=1).")
    var limitLoopback = false

    @Option(
        help: ArgumentHelp(
            "Seconds of silence after which a WebSocket gets a ping; two without an answer end it (CAMPANILE_PING_INTERVAL). Default: 45",
            valueName: "seconds"))
    var pingInterval: Int?

    func apply(to configuration: inout ServerConfiguration, _ environment: [String: String]) throws {
        configuration.connectionsMax = try value(connectionsMax, "CAMPANILE_CONNECTIONS_MAX", environment)
        let rules = configuration.addressLimits
        configuration.addressLimits.openMax =
            try value(addressConnectionsMax, "CAMPANILE_ADDRESS_CONNECTIONS_MAX", environment) ?? rules.openMax
        configuration.addressLimits.perSecondMax =
            try value(addressRateMax, "CAMPANILE_ADDRESS_RATE_MAX", environment) ?? rules.perSecondMax
        configuration.addressLimits.burstMax =
            try value(addressBurstMax, "CAMPANILE_ADDRESS_BURST_MAX", environment) ?? rules.burstMax
        if limitLoopback || environment["CAMPANILE_LIMIT_LOOPBACK"] == "1" { configuration.unlimitedNetworks = [] }
        if let seconds = try value(pingInterval, "CAMPANILE_PING_INTERVAL", environment) {
            guard seconds <= 3_600 else { throw CommandFailure(.usage, "--ping-interval must be 1 to 3600") }
            configuration.pingInterval = .seconds(seconds)
        }
        let listed = environment["CAMPANILE_TRUSTED_PROXY"]?.split(separator: ",").map { String($0) } ?? []
        configuration.trustedProxies = try (trustedProxy + listed).map {
            try Self.network($0, of: "--trusted-proxy")
        }
        let plain = plainHTTP + (environment["CAMPANILE_PLAIN_HTTP"]?.split(separator: ",").map { String($0) } ?? [])
        configuration.plainHTTPNetworks += try plain.flatMap {
            $0 == "any" ? NetworkPrefix.all : [try Self.network($0, of: "--plain-http")]
        }
    }

    private static func network(_ text: String, of option: String) throws -> NetworkPrefix {
        guard let network = NetworkPrefix(text) else {
            throw CommandFailure(.usage, "\(option) \(text) must be an address or a network, such as 192.0.2.0/24")
        }
        return network
    }

    private func value(_ flag: Int?, _ name: String, _ environment: [String: String]) throws -> Int? {
        guard let value = try flag ?? ListenOptions.number(name, environment) else { return nil }
        guard value > 0 else { throw CommandFailure(.usage, "\(name) and its flag must be 1 or more") }
        return value
    }
}
