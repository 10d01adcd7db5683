import EventLoop
import Foundation
import Services
import WebSocket

/// How a server is set up. Every member is a flag or an environment variable of `campanile serve`.
public struct ServerConfiguration: Sendable {
    /// This build's version.
    public static let version = "0.1.0"

    /// Address to listen on.
    public var host = "127.0.0.1"
    /// Port to listen on; 0 lets the kernel choose.
    public var port: UInt16 = 8080
    /// Event loops; connections are spread over them.
    public var loopCount = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// Where the private cluster and the simulation key live.
    public var dataDirectory: String
    /// PostgreSQL to use; nil starts the private cluster.
    public var databaseURL: String?
    /// As the role that owns the schema, for migrations; nil uses `databaseURL`.
    public var ownerDatabaseURL: String?
    /// Other servers over the same database; nil when this one is alone.
    public var nodes: NodesConfiguration?
    /// Where `sql` and `Sources/WebApp` are.
    public var resources: Resources
    /// PEM files; given, the server speaks TLS only.
    public var tls: (certificate: String, key: String)?
    /// Origins beyond the server's own that pages may connect from, such as `https://campus.example`.
    public var allowedOrigins: [String] = []
    /// Tiles under the campus map, such as `https://tile.example/{z}/{x}/{y}.png`; nil draws our own data only.
    public var tileURL: String?
    /// Who made the tiles.
    public var tileAttribution = ""
    /// The runners are samples: the start page says so.
    public var isDemo = false
    /// Who knows it may make accounts for recordings; nil reads or makes `simulation.key` in the data directory.
    public var simulationKey: String?
    /// Serves `/test/echo` and `/test/room`, for measuring and conformance tests. Never for a server that others reach.
    public var testEndpoints = false
    /// What clients may agree on about compression; nil for none.
    public var deflate: DeflateConfiguration? = DeflateConfiguration()
    /// Connections open at once; nil takes what the limit of open files leaves (`DescriptorLimit`). Above it a new one is
    /// told 503 (plain) or closed (TLS).
    public var connectionsMax: Int?
    /// What each address may open; refused ones are told 429 (plain) or closed (TLS).
    public var addressLimits = AddressLimits.Rules()
    /// Networks that `addressLimits` do not hold for, besides `trustedProxies`: this machine.
    public var unlimitedNetworks = NetworkPrefix.loopback
    /// Networks of proxies whose `X-Forwarded-For` is believed (`ForwardedAddress`).
    public var trustedProxies: [NetworkPrefix] = []
    /// Limits of each WebSocket connection.
    public var webSocketLimits = WebSocketLimits()
    /// A socket without `hello` is closed with 4001 after this.
    public var helloTimeout = Duration.seconds(10)
    /// A message that began must be whole after this, whatever else comes meanwhile; a half one is held that long (1008).
    public var messageTimeout = UnfinishedInput.timeMaxDefault
    /// What a loop holds of messages and requests that are not whole; beyond it the oldest goes (1013, over HTTP 503).
    public var unfinishedBytesMax = UnfinishedInput.bytesMaxDefault
    /// Between two looks whether a WebSocket peer is still there; one that sent nothing meanwhile gets a ping. Below the
    /// minute after which proxies forget an idle connection, and not far below: each ping wakes a phone's radio.
    public var pingInterval = Duration.seconds(45)
    /// A request over HTTP must be whole within this, from its first byte (slow-loris); uploads have longer.
    public var requestTimeout = Duration.seconds(15)
    /// Bytes a second that must come of an upload on average, after `uploadGraceTime` without any; 1 or more. A phone at a
    /// fourth of 30 kB/s is still heard.
    public var uploadBytesPerSecondMin = 8_192
    /// What an upload has beyond that: the phone may be in a lift for so long.
    public var uploadGraceTime = Duration.seconds(45)
    /// An HTTP connection between requests is closed after this.
    public var idleTimeout = Duration.seconds(60)

    /// A peer that takes nothing of its answer for this long is cut off.
    public var writeStallTimeout = Duration.seconds(45)
    /// How long a kept-alive HTTP connection without a request may go on when the server stops: a request that comes within is
    /// answered with `Connection: close`.
    public var keptAliveGraceTime = Duration.milliseconds(500)
    /// Bytes a second that a peer must take of an answer on average, after `writeStallTimeout` without any; 1 or more. So an
    /// answer of `n` bytes is kept for `n / 512` seconds and a minute, however little its reader takes at a time. A slow
    /// phone takes four times as many.
    public var sentBytesPerSecondMin = 512
    /// Names that this server answers to; none: any. Requests for others get 421 (DNS rebinding).
    public var hostNames: [String] = []
    /// How often callers may ask.
    public var rateLimits = RateLimits()
    /// Who may register.
    public var registration = RegistrationPolicy.open

    /// By which ways people are reminded.
    public var reminders = ReminderConfiguration()

    /// Between two looks at what other processes did: imported a campus, revoked tokens, blocked somebody.
    var othersPollInterval = Duration.seconds(3)

    /// Between two looks at which other servers use the database, and at the key that they share.
    public var nodesLookInterval = Duration.seconds(5)

    /// Bytes of ``metricsToken``, so that nobody guesses it.
    public static let metricsTokenBytesMin = 16

    /// What a scraper must bring for `GET /metrics` (bearer token); nil: the server's own port has no metrics.
    public var metricsToken: String?
    /// A port for metrics alone, plain HTTP; 0 lets the kernel choose, nil opens none.
    public var metricsPort: UInt16?
    /// Address of that port.
    public var metricsHost = "127.0.0.1"

    /// - Parameters:
    ///   - dataDirectory: Where the private cluster and the simulation key live.
    ///   - resources: Where `sql` and the web app are.
    public init(dataDirectory: String, resources: Resources) {
        self.dataDirectory = dataDirectory
        self.resources = resources
    }

    /// The bounds of new connections, under the present limit of open files.
    func admissionLimits() -> ConnectionAdmission.Limits {
        var limits = ConnectionAdmission.Limits(connectionsMax: DescriptorLimit.connectionsMaxDefault)
        if let connectionsMax { limits.connectionsMax = min(connectionsMax, limits.connectionsMax) }
        limits.addresses = addressLimits
        // As many addresses may have connections as there are connections.
        limits.addresses.addressesMax = max(limits.addresses.addressesMax, limits.connectionsMax)
        limits.exempt = unlimitedNetworks + trustedProxies
        return limits
    }

    /// The scheme and host of `tileURL`, for the content security policy.
    var tileOrigin: String? {
        guard let tileURL, let parts = URLComponents(string: tileURL.replacingOccurrences(of: "{s}", with: "*")) ?? nil,
            let scheme = parts.scheme, let host = parts.host
        else { return nil }
        return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }
}

/// Files that come with the program.
public struct Resources: Sendable {
    /// The directory that holds `sql` and `Sources/WebApp`, or `sql` and `WebApp` when installed.
    public let root: URL
    /// Leaflet, from Debian's libjs-leaflet.
    public var leaflet = URL(fileURLWithPath: "/usr/share/javascript/leaflet")

    /// - Parameter root: The directory that holds `sql`.
    public init(root: URL) { self.root = root }

    /// The numbered migrations and the files of functions.
    public var migrations: URL { root.appendingPathComponent("sql") }

    /// The web app.
    public var webApp: URL {
        let source = root.appendingPathComponent("Sources/WebApp")
        return FileManager.default.fileExists(atPath: source.path) ? source : root.appendingPathComponent("WebApp")
    }

    /// The resources could not be found.
    public struct NotFound: Error, CustomStringConvertible {
        /// One plain fact and what to do.
        public var description: String {
            "the directory with sql and WebApp was not found: set CAMPANILE_RESOURCES to it"
        }
    }

    /// Looks in `CAMPANILE_RESOURCES`, above the executable (a checkout), and in `/usr/share/campanile`.
    public static func find(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Resources {
        var candidates: [URL] = []
        if let set = environment["CAMPANILE_RESOURCES"], !set.isEmpty {
            candidates = [URL(fileURLWithPath: set)]
        } else {
            let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            var directory = executable.deletingLastPathComponent()
            while directory.path != "/" {
                candidates.append(directory)
                directory.deleteLastPathComponent()
            }
            candidates.append(URL(fileURLWithPath: "/usr/share/campanile"))
        }
        for candidate in candidates {
            let resources = Resources(root: candidate)
            let files = [resources.migrations, resources.webApp].map(\.path)
            if files.allSatisfy(FileManager.default.fileExists(atPath:)) { return resources }
        }
        throw NotFound()
    }
}
