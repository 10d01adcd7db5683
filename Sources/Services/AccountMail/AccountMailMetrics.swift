import Metrics

/// Outcomes of mails about accounts on this server. Atomic; usable from any thread.
public struct AccountMailMetrics: Sendable {
    enum Kind: String, CaseIterable {
        case reset, confirm
        case passwordChanged = "password_changed"
        case newDevice = "new_device"
        case addressChanged = "address_changed"
        case providerConnected = "provider_connected"
        case providerDisconnected = "provider_disconnected"
        case factor = "second_factor"
        case unknown
    }

    enum Outcome: String, CaseIterable {
        case sent, retried, dropped, failed
    }

    private let outcomes: [Kind: [Outcome: Counter]]

    /// Registers the metrics. The default registry is not exported.
    public init(_ registry: MetricRegistry = MetricRegistry()) {
        var outcomes: [Kind: [Outcome: Counter]] = [:]
        for kind in Kind.allCases {
            for outcome in Outcome.allCases {
                outcomes[kind, default: [:]][outcome] = registry.counter(
                    "campanile_account_mails_total", "Mails about accounts, by kind and outcome.",
                    ["kind": kind.rawValue, "outcome": outcome.rawValue])
            }
        }
        self.outcomes = outcomes
    }

    func count(_ outcome: Outcome, _ kind: Kind) { outcomes[kind]?[outcome]?.add() }
}
