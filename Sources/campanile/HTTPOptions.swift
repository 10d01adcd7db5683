import ArgumentParser
import Server
import WebSocket

/// Whom the server answers and how often: `serve` and `demo`.
struct HTTPOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A name this server answers to; may be repeated (CAMPANILE_HOST_NAME, comma-separated). Default: any",
            discussion: "Requests for other names get 421, which stops DNS rebinding.", valueName: "name"))
    var hostName: [String] = []

    @Option(
        help: ArgumentHelp(
            "Rate limits, such as account=50/s:500,register=10/min:100, or off (CAMPANILE_RATE_LIMIT).",
            discussion: "Names: account, guest, register, login, token. Behind the colon: how many at once.",
            valueName: "limits"))
    var rateLimit: String?

    func apply(to configuration: inout ServerConfiguration) throws {
        let environment = DataOptions.environment
        let listed = environment["CAMPANILE_HOST_NAME"]?.split(separator: ",").map { String($0) } ?? []
        configuration.hostNames = hostName.isEmpty ? listed : hostName
        for name in configuration.hostNames {
            guard let authority = HTTPAuthority(name), authority.port == nil else {
                throw CommandFailure(.usage, "--host-name \(name) must be a name or address without a port")
            }
        }
        if let text = rateLimit ?? environment["CAMPANILE_RATE_LIMIT"] {
            do {
                try configuration.rateLimits.apply(text)
            } catch let error as RateLimits.Invalid {
                throw CommandFailure(.usage, "--rate-limit: \(error.description)")
            }
        }
    }
}
