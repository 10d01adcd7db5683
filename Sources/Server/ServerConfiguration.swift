import EventLoop
import Foundation
import OpenID
import Services
import WebSocket
import Wire

/// Configuration of a server. Every member is an option or environment variable of `campanile serve`.
public struct ServerConfiguration: Sendable {
    /// Version of this build.
    public static let version = "0.1.0"

    /// Address to listen on.
    public var host = "127.0.0.1"
    /// Port to listen on; 0 lets the kernel choose.
    public var port: UInt16 = 8080
    /// Number of event loops, over which connections are distributed.
    public var loopCount = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// Directory of the private cluster and the simulation key.
    public var dataDirectory: String
    /// PostgreSQL to use; nil starts the private cluster.
    public var databaseURL: String?
    /// Connection as the role that owns the schema, for migrations; nil uses `databaseURL`.
    public var ownerDatabaseURL: String?
    /// Other servers with the same database; nil for a single server.
    public var nodes: NodesConfiguration?
    /// Location of `sql` and `Sources/WebApp`.
    public var resources: Resources
    /// PEM files. If set, the server accepts only TLS.
    public var tls: (certificate: String, key: String)?
    /// Origins other than the server's own from which pages may connect, such as `https://campus.example`.
    public var allowedOrigins: [String] = []
    /// Map tiles below the campus map, such as `https://tile.example/{z}/{x}/{y}.png`; nil shows only the campus data.
    public var tileURL: String?
    /// Attribution of the tiles.
    public var tileAttribution = ""
    /// Oldest version of the protocol that clients may speak. Older ones may only send what they hold.
    package var oldestProtocol = ProtocolVersion.oldestSupported
    /// Whether the runners are samples. The start page states it.
    public var isDemo = false
    /// Log-ins with one click. The pages offer them only while ``isDemo`` is set.
    public var sampleSignIns: SampleSignIns?
    /// Key for creating simulated accounts; nil reads or creates `simulation.key` in the data directory.
    public var simulationKey: String?
    /// Serves `/test/echo` and `/test/room`, for measurements and conformance tests. Not for a publicly reachable server.
    public var testEndpoints = false
    /// Compression that the server may negotiate; nil for none.
    public var deflate: DeflateConfiguration? = DeflateConfiguration()
    /// Highest number of open connections; nil derives it from the limit of open files (`DescriptorLimit`). A new connection above it gets
    /// 503 (plain) or is closed (TLS).
    public var connectionsMax: Int?
    /// Connection limits for each address. A refused connection gets 429 (plain) or is closed (TLS).
    public var addressLimits = AddressLimits.Rules()
    /// Networks exempt from `addressLimits` in addition to `trustedProxies`; by default this machine.
    public var unlimitedNetworks = NetworkPrefix.loopback
    /// Networks of proxies whose `X-Forwarded-For` is trusted (`ForwardedAddress`).
    public var trustedProxies: [NetworkPrefix] = []
    /// Limits of each WebSocket connection.
    public var webSocketLimits = WebSocketLimits()
    /// Time after which a socket without `hello` is closed with 4001.
    public var helloTimeout = Duration.seconds(10)
    /// Time within which a message must be complete, whatever else arrives; otherwise the connection is closed with 1008.
    public var messageTimeout = IncompleteInputLimiter.timeMaxDefault
    /// Highest number of bytes of incomplete messages and requests on a loop. Above it the connection with the oldest one is closed (1013,
    /// over HTTP 503).
    public var unfinishedBytesMax = IncompleteInputLimiter.bytesMaxDefault
    /// Interval of checking WebSocket peers. A peer that sent nothing in between gets a ping. It is below the minute after which proxies
    /// drop idle connections, and not far below, because each ping wakes a phone's radio.
    public var pingInterval = Duration.seconds(45)
    /// Time within which an HTTP request must be complete, from its first byte (slow-loris). Uploads have more time.
    public var requestTimeout = Duration.seconds(15)
    /// Lowest average rate of an upload in bytes per second, after `uploadGraceTime`; at least 1. A phone at a fourth of 30 kB/s is still
    /// accepted.
    public var uploadBytesPerSecondMin = 8_192
    /// Additional time of an upload: a phone may be in a lift that long.
    public var uploadGraceTime = Duration.seconds(45)
    /// Time after which an HTTP connection between requests is closed.
    public var idleTimeout = Duration.seconds(60)

    /// Time after which a connection is closed whose peer has not read any of a response.
    public var writeStallTimeout = Duration.seconds(45)
    /// Time that a kept-alive HTTP connection without a request has when the server stops. A request within it is answered with
    /// `Connection: close`.
    public var keptAliveGraceTime = Duration.milliseconds(500)
    /// Lowest average rate in bytes per second at which a peer must read a response, after `writeStallTimeout`; at least 1. A response of
    /// `n` bytes is therefore kept for at most `n / 512` seconds plus `writeStallTimeout`. A slow phone reads four times as fast.
    public var sentBytesPerSecondMin = 512
    /// Networks whose clients may use plain HTTP, which everybody on the way can read; by default this machine. Trusted proxies may, too.
    public var plainHTTPNetworks = NetworkPrefix.loopback
    /// Host names of this server; empty accepts any. Requests for other names get 421 (DNS rebinding).
    public var hostNames: [String] = []
    /// Rate limits of callers.
    public var rateLimits = RateLimits()
    /// Accounts that may be registered.
    public var registration = RegistrationPolicy.open
    /// Domains of the addresses that may register.
    public var registrationDomains = EmailDomains()
    /// Requirements of new passwords.
    public var passwords = PasswordPolicy()
    /// What accounts may do until their address is confirmed. Without a mail server no address can be, and all may do everything.
    public var confirmation = ConfirmationPolicy.optional
    /// Whether admins need a second factor. `campanile serve` requires it unless the operator chooses otherwise.
    public var adminSecondFactor = AdminFactorPolicy.optional

    /// Providers of OpenID Connect by which people sign in. They need ``ReminderConfiguration/publicURL``.
    public var openID: [ProviderSettings] = []
    /// PEM file with the certificate authorities of the providers; nil trusts the system's.
    public var openIDAuthority: String?

    /// Channels of reminders.
    public var reminders = ReminderConfiguration()

    /// Settings for mails about accounts, which are those of reminders by mail. Nil if the server sends no mail.
    public var accountMail: AccountMailConfiguration? {
        guard let mail = reminders.mail, let site = reminders.publicURL else { return nil }
        var accountMail = AccountMailConfiguration(server: mail.server, from: mail.from, site: site)
        accountMail.providerLabels = Dictionary(openID.map { ($0.issuer, $0.label) }) { first, _ in first }
        accountMail.interval = reminders.interval
        accountMail.leaseSeconds = reminders.leaseSeconds
        return accountMail
    }

    /// Interval of polling the database for changes by other processes: an imported campus, revoked tokens, blocks.
    var databasePollInterval = Duration.seconds(3)

    /// Interval of reading the list of servers that use the database, and their shared key.
    public var nodesPollInterval = Duration.seconds(5)

    /// Lowest number of bytes of ``metricsToken``, so that it cannot be guessed.
    public static let metricsTokenBytesMin = 16

    /// Bearer token for `GET /metrics`; nil: the server's own port serves no metrics.
    public var metricsToken: String?
    /// Separate plain-HTTP port for metrics; 0 lets the kernel choose, nil opens none.
    public var metricsPort: UInt16?
    /// Address of the metrics port.
    public var metricsHost = "127.0.0.1"

    /// - Parameters:
    ///   - dataDirectory: Directory of the private cluster and the simulation key.
    ///   - resources: Location of `sql` and the web app.
    public init(dataDirectory: String, resources: Resources) {
        self.dataDirectory = dataDirectory
        self.resources = resources
    }

    /// Limits of new connections under the present limit of open files.
    func admissionLimits() -> ConnectionAdmission.Limits {
        var limits = ConnectionAdmission.Limits(connectionsMax: DescriptorLimit.connectionsMaxDefault)
        if let connectionsMax { limits.connectionsMax = min(connectionsMax, limits.connectionsMax) }
        limits.addresses = addressLimits
        // Each connection may come from a different address.
        limits.addresses.addressesMax = max(limits.addresses.addressesMax, limits.connectionsMax)
        limits.exempt = unlimitedNetworks + trustedProxies
        return limits
    }

    /// Scheme and host of `tileURL`, for the content security policy.
    var tileOrigin: String? {
        guard let tileURL, let parts = URLComponents(string: tileURL.replacingOccurrences(of: "{s}", with: "*")) ?? nil,
            let scheme = parts.scheme, let host = parts.host
        else { return nil }
        return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }
}

/// Files that are installed with the program.
public struct Resources: Sendable {
    /// Directory that contains `sql` and `Sources/WebApp`, or `sql` and `WebApp` when installed.
    public let root: URL
    /// Leaflet, from Debian's libjs-leaflet.
    public var leaflet = URL(fileURLWithPath: "/usr/share/javascript/leaflet") { didSet { files = nil } }
    /// Chart.js, from Debian's libjs-chart.js.
    public var charts = URL(fileURLWithPath: "/usr/share/javascript/chart.js") { didSet { files = nil } }

    /// Directory of the web app to serve instead of the one below `root`.
    public var chosenWebApp: URL? { didSet { files = nil } }
    /// The web app and its libraries as another server of this process has read them; nil reads them at the start.
    package var files: StaticFiles?

    /// - Parameter root: Directory that contains `sql`.
    public init(root: URL) { self.root = root }

    /// Directory of the numbered migrations and the files of functions.
    public var migrations: URL { root.appendingPathComponent("sql") }

    /// Directory of the web app. In a checkout, a debug build serves the sources, and a release build serves the bundle, if
    /// `deploy/web` has made one.
    public var webApp: URL {
        if let chosenWebApp { return chosenWebApp }
        let sources = root.appendingPathComponent("Sources/WebApp")
        let installed = root.appendingPathComponent("WebApp")
        #if DEBUG
            let candidates = [sources]
        #else
            let candidates = [root.appendingPathComponent(".build/web"), sources]
        #endif
        return candidates.first { Self.isWebApp($0) } ?? installed
    }

    /// Reads the web app and its libraries, unless ``files`` has them.
    /// - Throws: ``StaticFiles/MissingFiles``.
    package func readFiles() throws -> StaticFiles {
        try files ?? StaticFiles(webApp: webApp, leaflet: leaflet, charts: charts)
    }

    private static func isWebApp(_ directory: URL) -> Bool {
        FileManager.default.fileExists(atPath: directory.appendingPathComponent("index.html").path)
    }

    /// Error for resources that were not found.
    public struct NotFound: Error, CustomStringConvertible {
        /// One fact and what to do.
        public var description: String {
            "the directory with sql and WebApp was not found: set CAMPANILE_RESOURCES to it"
        }
    }

    /// Searches `CAMPANILE_RESOURCES`, the directories above the executable (a checkout), and `/usr/share/campanile`.
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
