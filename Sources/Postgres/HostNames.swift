import EventLoop
import Glibc

/// The host names of a connection, to be looked up before libpq sees them: it would look them up within
/// `PQconnectStartParams` and `PQconnectPoll` (PostgreSQL manual §34.1), which blocks the loop.
struct HostNames: Sendable, Equatable {
    /// Lookups at once; one that gets no answer holds its thread for some ten seconds.
    static let lookupsMax = 4
    /// Lookups that may wait.
    static let waitingLookupsMax = 256
    /// Where names are looked up.
    static let workers = WorkerPool(label: "postgres-names", concurrentMax: lookupsMax, waitingMax: waitingLookupsMax)

    /// As libpq lists them, in the order to try them.
    private let hosts: [String]
    /// One for all, or one for each host.
    private let ports: [String]

    /// - Parameters:
    ///   - keywords: libpq's connection keywords.
    ///   - environment: Gives the variables that libpq takes for absent keywords (PostgreSQL manual §34.15).
    /// - Returns: Nil when libpq has no name to look up: sockets, numeric addresses, addresses given beside the names.
    init?(
        keywords: [String: String],
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) {
        func value(_ keyword: String, _ variable: String) -> String {
            keywords[keyword] ?? environment(variable) ?? ""
        }
        // A service's file may hold addresses too.
        guard value("hostaddr", "PGHOSTADDR").isEmpty, value("service", "PGSERVICE").isEmpty else { return nil }
        hosts = Self.items(value("host", "PGHOST"))
        ports = Self.items(value("port", "PGPORT"))
        // libpq tells of lists that do not match.
        guard hosts.contains(where: Self.isName), ports.count == 1 || ports.count == hosts.count else { return nil }
    }

    /// Looks the names up: `host`, `hostaddr` and `port` with an entry for each address. Blocks.
    /// - Parameter lookUp: Gives the numeric addresses of a name.
    /// - Throws: ``PostgresError/unavailable(reason:)`` when nothing is left to connect to.
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
                // The name stays beside the address: certificates and password files go by it.
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

    /// Neither a socket's directory or abstract name, nor a numeric address, nor libpq's default.
    private static func isName(_ host: String) -> Bool {
        guard let first = host.first, first != "/", first != "@" else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) != 1 && inet_pton(AF_INET6, host, &address) != 1
    }
}
