import ArgumentParser
import EventLoop
import Server

/// How many connections are taken, and from whom: part of ``ListenOptions``.
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
            "Network of proxies whose X-Forwarded-For is believed; may be repeated (CAMPANILE_TRUSTED_PROXY, comma-separated).",
            valueName: "cidr"))
    var trustedProxy: [String] = []

    func apply(to configuration: inout ServerConfiguration, _ environment: [String: String]) throws {
        configuration.connectionsMax = try value(connectionsMax, "CAMPANILE_CONNECTIONS_MAX", environment)
        let rules = configuration.addressLimits
        configuration.addressLimits.openMax =
            try value(addressConnectionsMax, "CAMPANILE_ADDRESS_CONNECTIONS_MAX", environment) ?? rules.openMax
        configuration.addressLimits.perSecondMax =
            try value(addressRateMax, "CAMPANILE_ADDRESS_RATE_MAX", environment) ?? rules.perSecondMax
        configuration.addressLimits.burstMax =
            try value(addressBurstMax, "CAMPANILE_ADDRESS_BURST_MAX", environment) ?? rules.burstMax
        let listed = environment["CAMPANILE_TRUSTED_PROXY"]?.split(separator: ",").map { String($0) } ?? []
        configuration.trustedProxies = try (trustedProxy + listed).map { text in
            guard let network = NetworkPrefix(text) else {
                throw CommandFailure(
                    .usage, "--trusted-proxy \(text) must be an address or a network, such as 192.0.2.0/24")
            }
            return network
        }
    }

    private func value(_ flag: Int?, _ name: String, _ environment: [String: String]) throws -> Int? {
        guard let value = try flag ?? ListenOptions.number(name, environment) else { return nil }
        guard value > 0 else { throw CommandFailure(.usage, "\(name) and its flag must be 1 or more") }
        return value
    }
}
