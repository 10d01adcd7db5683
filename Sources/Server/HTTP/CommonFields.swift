import Glibc
import Synchronization
import WebSocket

/// Header fields of every response, made once, with the date, made at most once a second. Usable from any thread.
final class CommonFields: Sendable {
    /// Seconds for which browsers use only TLS after a visit over TLS: one year.
    static let strictTransportSecondsMax = 31_536_000

    private struct Lines {
        var second: Int64 = .min
        var plain: [UInt8] = []
        var secure: [UInt8] = []
        var plainOfFiles: [UInt8] = []
        var secureOfFiles: [UInt8] = []
    }

    private let lines = Mutex(Lines())
    private let policies: [UInt8]
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - tileOrigin: Origin of the map tiles, if any.
    ///   - inline: Scripts and styles within the web app's document.
    ///   - now: Seconds since 1970.
    init(
        tileOrigin: String?, inline: InlineSources = InlineSources(),
        now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        self.now = now
        policies = HTTPResponse.lines(Self.policies(tileOrigin: tileOrigin, inline: inline))
    }

    /// Present time of the server's clock.
    var date: HTTPDate { HTTPDate(seconds: now()) }

    /// Header lines for a response.
    /// - Parameters:
    ///   - isSecure: Whether the response goes over TLS to a host name (RFC 6797 §7.2: the field "MUST NOT" be sent over plain
    ///     HTTP).
    ///   - hasPolicies: Whether the policies of documents are among them.
    func lines(isSecure: Bool, hasPolicies: Bool = true) -> [UInt8] {
        let second = now()
        return lines.withLock { lines in
            if lines.second != second {
                lines.second = second
                // RFC 9110 §6.6.1: an origin server with a clock MUST send Date in all 2xx, 3xx and 4xx.
                let date = HTTPResponse.lines(["Date": HTTPDate(seconds: second).description])
                lines.plainOfFiles = HTTPResponse.lines(Self.everywhere) + date
                lines.secureOfFiles =
                    lines.plainOfFiles
                    + HTTPResponse.lines(["Strict-Transport-Security": "max-age=\(Self.strictTransportSecondsMax)"])
                lines.plain = policies + lines.plainOfFiles
                lines.secure = policies + lines.secureOfFiles
            }
            if hasPolicies { return isSecure ? lines.secure : lines.plain }
            return isSecure ? lines.secureOfFiles : lines.plainOfFiles
        }
    }

    /// Security headers of every response. They prevent content sniffing, and use by other sites.
    static let everywhere: HTTPHeaders = [
        "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
    ]

    /// Sites whose players may be shown in a frame: the hosts that play videos without cookies before they are asked for.
    private static let videoPlayers = ["https://www.youtube-nocookie.com", "https://player.vimeo.com"]

    /// Policies of documents and workers. They prevent framing, access through windows of other sites, and foreign scripts. Browsers
    /// ignore them on scripts and stylesheets that a document loads.
    ///
    /// `blob:` for pictures: scripts fetch those that need a token and display them from memory. The frames are of players of videos, which
    /// a workout loads when somebody plays one (W-2).
    static func policies(tileOrigin: String?, inline: InlineSources) -> HTTPHeaders {
        let tiles = tileOrigin.map { " " + $0 } ?? ""
        let scripts = (["'self'"] + inline.scripts).joined(separator: " ")
        let styles = (["'self'"] + inline.styles).joined(separator: " ")
        return [
            "Content-Security-Policy":
                "default-src 'self'; img-src 'self' data: blob:\(tiles); connect-src 'self'; "
                + "frame-src \(videoPlayers.joined(separator: " ")); "
                + "style-src \(styles); script-src \(scripts); object-src 'none'; frame-ancestors 'none'; "
                + "base-uri 'none'; form-action 'self'",
            "Referrer-Policy": "no-referrer",
            "Permissions-Policy": "geolocation=(self), camera=(), microphone=(), payment=(), usb=()",
            "Cross-Origin-Opener-Policy": "same-origin",
        ]
    }
}
