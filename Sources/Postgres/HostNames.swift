import EventLoop
import Glibc

/// The host names of a connection, resolved before libpq gets them.
///
/// libpq would resolve them within `PQconnectStartParams` and `PQconnectPoll` (PostgreSQL manual §34.1), which blocks the loop.
struct HostNames: Sendable, Equatable {
    /// Maximum of concurrent lookups. An unanswered lookup occupies its thread for some ten seconds.
    static let lookupsMax = 4
    /// Maximum of queued lookups.
    static let waitingLookupsMax = 256
    /// Threads for the blocking lookups.
    static let workers = WorkerPool(label: "postgres-names", concurrentMax: lookupsMax, waitingMax: waitingLookupsMax)

    /// Hosts in libpq's order of preference.
    private let hosts: [String]
    /// One port for all hosts, or one for each.
    private let ports: [String]

    /// - Parameters:
    ///   - keywords: libpq's connection keywords.
    ///   - environment: Returns the variables that libpq uses for absent keywords (PostgreSQL manual §34.15).
    /// - Returns: Nil if there is no name to resolve: Unix sockets, numeric addresses, or addresses given beside the names.
    init?(
        keywords: [String: String],
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) {
        func value(_ keyword: String, _ variable: String) -> String {
            keywords[keyword] ?? environment(variable) ?? ""
        }
        // A service file may hold addresses too.
        guard value("hostaddr", "PGHOSTADDR").isEmpty, value("service", "PGSERVICE").isEmpty else { return nil }
        hosts = Self.items(value("host", "PGHOST"))
        ports = Self.items(value("port", "PGPORT"))
        // libpq reports lists of unequal length itself.
        guard hosts.contains(where: Self.isName), ports.count == 1 || ports.count == hosts.count else { return nil }
    }

    /// Resolves the names into `host`, `hostaddr` and `port`, with one entry per address. Blocks.
    /// - Parameter lookUp: Returns the numeric addresses of a name.
    /// - Throws: ``PostgresError/unavailable(reason:)`` if no host has an address.
    func resolved(
        lookUp: (String) throws -> [String] = { try SocketAddress.addresses(of: $0) }
    ) throws(PostgresError) -> [String: String] {
        var entries: [(host: String, address: String, port: String)] = []
        var reasons: [String] = []
        for (index, host) in hosts.enumerated() {
            let port = ports.count == 1 ? ports[0] : ports[index]
            guard Self.isName(host) else {
                entries.append((host, "", port))
                continue
            }
            do {
                let addresses = try lookUp(host)
                if addresses.isEmpty { reasons.append("\(host): no address") }
                // Keep the name beside the address: libpq checks certificates and finds passwords by name.
                entries += addresses.map { (host, $0, port) }
            } catch {
                reasons.append("\(error)")
            }
        }
        guard !entries.isEmpty else {
            throw .unavailable(reason: "the database's host name was not found (\(reasons.joined(separator: "; ")))")
        }
        return [
            "host": entries.map(\.host).joined(separator: ","),
            "hostaddr": entries.map(\.address).joined(separator: ","),
            "port": entries.map(\.port).joined(separator: ","),
        ]
    }

    private static func items(_ list: String) -> [String] {
        list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether a host must be resolved: it is no socket directory, abstract socket, numeric address or empty default.
    private static func isName(_ host: String) -> Bool {
        guard let first = host.first, first != "/", first != "@" else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) != 1 && inet_pton(AF_INET6, host, &address) != 1
    }
}
