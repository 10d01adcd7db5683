import COpenSSL
import EventLoop
import Foundation
import Metrics
import WebSocket

/// `GET /metrics`: behind a bearer token on the server's own port, on a port of its own, or not at all.
struct MetricsEndpoint: Sendable {
    let registry: MetricRegistry
    /// What a scraper must bring; nil needs none.
    let token: String?
    let workers: WorkerPool
    /// Has what is not counted as it happens written down.
    let report: @Sendable () async -> Void

    /// Whether the server's own port has it.
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
        // Reads /proc, and compresses: off the loop. Nothing in it is a caller's choice or secret, so its length tells nothing.
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
        // Of digests, and in constant time: neither what fits nor how much of it shows.
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

/// The port for metrics is taken.
public struct MetricsPortInUse: Error, CustomStringConvertible {
    let host: String
    let port: UInt16
    /// One plain fact and what to do.
    public var description: String {
        "metrics port \(port) on \(host) is in use: stop the other program, or choose another with --metrics-port"
    }
}

extension Listener {
    /// Connections that scrapers may have open at once. They come out of `DescriptorLimit.headroom`, which the application's
    /// connections leave.
    static let scrapersMax = 16

    /// Listens for scrapers, if a port is set for them: plain HTTP, nothing but `/metrics`.
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
