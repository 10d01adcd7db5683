import Foundation

/// The site that passkeys belong to (WebAuthn §4): browsers use a passkey only on pages of its domain.
public struct RelyingParty: Sendable, Equatable {
    /// Name of the site, to display.
    public static let name = "Campanile"

    /// Domain of the passkeys.
    public let id: String
    /// Origin of the pages that may use them; nil for all pages of `localhost`, for development and samples.
    public let origin: String?

    /// - Parameter publicURL: Public base URL of the server; without one, passkeys work on `localhost` only.
    public init(publicURL: String?) {
        guard let publicURL, let parts = URLComponents(string: publicURL), let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased(), !host.isEmpty
        else {
            id = "localhost"
            origin = nil
            return
        }
        id = host
        let usual = scheme == "https" ? 443 : 80
        let port = parts.port.map { $0 == usual ? "" : ":\($0)" } ?? ""
        origin = "\(scheme)://\(host)\(port)"
    }

    /// Whether a page of this origin may use the passkeys. The browser writes the origin: lower case, without the usual port.
    func admits(_ text: String) -> Bool {
        if let origin { return text == origin }
        for start in ["http://localhost", "https://localhost"] where text.hasPrefix(start) {
            let port = text.dropFirst(start.count)
            return port.isEmpty || (port.first == ":" && port.count > 1 && UInt16(port.dropFirst()) != nil)
        }
        return false
    }
}
