import Glibc
import Synchronization
import WebSocket

/// The field lines that every answer has, made once, and the date, made at most once a second. From any thread.
final class CommonFields: Sendable {
    /// How long browsers ask by TLS only, once they came by TLS: a year.
    static let strictTransportSecondsMax = 31_536_000

    private struct Lines {
        var second: Int64 = .min
        var plain: [UInt8] = []
        var secure: [UInt8] = []
    }

    private let lines = Mutex(Lines())
    private let fixed: [UInt8]
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - tileOrigin: Where the tiles under the map come from, if anywhere.
    ///   - now: Seconds since 1970.
    init(tileOrigin: String?, now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }) {
        self.now = now
        fixed = HTTPResponse.lines(Self.securityHeaders(tileOrigin: tileOrigin))
    }

    /// The server's clock.
    var date: HTTPDate { HTTPDate(seconds: now()) }

    /// - Parameter isSecure: The answer goes over TLS to a name of its own (RFC 6797 §7.2: the field "MUST NOT" be sent over
    ///   plain HTTP).
    func lines(isSecure: Bool) -> [UInt8] {
        let second = now()
        return lines.withLock { lines in
            if lines.second != second {
                lines.second = second
                // RFC 9110 §6.6.1: an origin server with a clock MUST send Date in all 2xx, 3xx and 4xx.
                lines.plain = fixed + HTTPResponse.lines(["Date": HTTPDate(seconds: second).description])
                lines.secure =
                    lines.plain
                    + HTTPResponse.lines(["Strict-Transport-Security": "max-age=\(Self.strictTransportSecondsMax)"])
            }
            return isSecure ? lines.secure : lines.plain
        }
    }

    /// `blob:` in pictures: those that need a token are fetched by script and shown from memory.
    ///
    /// Nothing of ours is framed, sniffed, opened by other sites' windows, or given scripts from elsewhere.
    static func securityHeaders(tileOrigin: String?) -> HTTPHeaders {
        let tiles = tileOrigin.map { " " + $0 } ?? ""
        return [
            "Content-Security-Policy":
                "default-src 'self'; img-src 'self' data: blob:\(tiles); connect-src 'self'; style-src 'self'; "
                + "script-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Permissions-Policy": "geolocation=(self), camera=(), microphone=(), payment=(), usb=()",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
    }
}
