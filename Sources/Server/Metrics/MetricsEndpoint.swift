import COpenSSL
import EventLoop
import Foundation
import Metrics
import WebSocket

/// `GET /metrics`: with a bearer token on the server's own port, on a separate port, or not served.
struct MetricsEndpoint: Sendable {
    let registry: MetricRegistry
    /// Token that a scraper must send; nil requires none.
    let token: String?
    let workers: WorkerPool
    /// Updates gauges that are computed only when read.
    let report: @Sendable () async -> Void

    /// Whether the server's own port serves metrics.
    var isPublic: Bool { token != nil }

    func response(to request: HTTPRequest) async -> HTTPResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            var response = HTTPResponse.plain(405, "use GET, HEAD")
            response.headers.set("Allow", "GET, HEAD")
            return response
        }
        guard isAllowed(request) else {
            var response = HTTPResponse.plain(
                401, "send Authorization: Bearer TOKEN, as set by CAMPANILE_METRICS_TOKEN")
            // RFC 9110 §15.5.2: a 401 MUST have WWW-Authenticate.
            response.headers.set("WWW-Authenticate", "Bearer")
            return response
        }
        let format: ExpositionFormat =
            HTTPNegotiation.names("application/openmetrics-text", in: request.headers) ? .openMetrics : .prometheus
        let takesGzip = HTTPNegotiation.coding(for: request.headers, hasGzip: true) == .gzip
        await report()
        // Runs off the loop, because it reads /proc and compresses. The content has neither caller-chosen nor secret parts, so that its
        // compressed length reveals nothing.
        let made = try? await workers.run { [registry] in
            let text = registry.exposition(format)
            return takesGzip ? Gzip.compressed(text, level: 1).map { ($0, true) } ?? (text, false) : (text, false)
        }
        guard let (body, isCompressed) = made else { return .plain(503, "too much work is waiting: try again shortly") }
        var response = HTTPResponse(status: 200, body: body)
        response.headers.set("Content-Type", format.contentType)
        response.headers.set("Cache-Control", "no-store")
        response.headers.set("Vary", "Accept, Accept-Encoding")
        if isCompressed { response.headers.set("Content-Encoding", "gzip") }
        return response
    }

    private func isAllowed(_ request: HTTPRequest) -> Bool {
        guard let token else { return true }
        let fields = request.headers.all("Authorization")
        guard fields.count == 1, fields[0].lowercased().hasPrefix("bearer ") else { return false }
        let given = fields[0].dropFirst("bearer ".count).trimmingCharacters(in: .whitespaces)
        // Compares digests in constant time, so that neither a match nor its length is observable.
        let (a, b) = (Self.digest(given), Self.digest(token))
        return CRYPTO_memcmp(a, b, a.count) == 0
    }

    private static func digest(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        return digest
    }
}

/// Error for a metrics port in use.
public struct MetricsPortInUse: Error, CustomStringConvertible {
    let host: String
    let port: UInt16
    /// One fact and what to do.
    public var description: String {
        "metrics port \(port) on \(host) is in use: stop the other program, or choose another with --metrics-port"
    }
}

extension Listener {
    /// Highest number of open connections of scrapers, within `DescriptorLimit.headroom`, which the application's connections leave free.
    static let scrapersMax = 16

    /// Listens for scrapers, if a port is configured: plain HTTP, only `/metrics`.
    /// - Throws: ``MetricsPortInUse``, ``EventLoop/SystemError``.
    static func forMetrics(_ environment: ServerEnvironment, loop: EventLoop) throws -> Listener? {
        let configuration = environment.configuration
        guard let port = configuration.metricsPort else { return nil }
        do {
            let admission = ConnectionAdmission(
                ConnectionAdmission.Limits(connectionsMax: scrapersMax), loopCount: 1,
                metrics: environment.metrics.transport)
            return try Listener(
                host: configuration.metricsHost, port: port, loops: [loop], admission: admission
            ) { socket in
                HTTPConnection(socket: socket, environment: environment, site: .metrics).start()
            }
        } catch let error as SystemError where error.code == EADDRINUSE {
            throw MetricsPortInUse(host: configuration.metricsHost, port: port)
        }
    }
}
