import Wire

/// A program that signs in or uses a token, as the owner of the account sees it in the list of devices and in mails. All but the network
/// address is by the program's own account.
public struct ClientDescription: Sendable, Equatable, ExpressibleByStringLiteral {
    /// Largest number of characters of each text.
    static let charactersMax = 80

    /// Name and version of the program, such as `campanile-web 1`.
    public let program: String
    /// What it runs on, such as `Firefox on Android`; nil if it does not say.
    public let platform: String?
    /// Numeric network address; nil if unknown.
    public let address: String?

    /// Limits each text in length, and removes control characters.
    public init(program: String, platform: String? = nil, address: String? = nil) {
        self.program = Self.limited(program) ?? "unknown"
        self.platform = platform.flatMap(Self.limited)
        self.address = address.flatMap(Self.limited)
    }

    /// A program of this name.
    public init(stringLiteral program: String) { self.init(program: program) }

    /// The platform, or else the program.
    var name: String { platform ?? program }

    private static func limited(_ text: String) -> String? {
        var limited = String.UnicodeScalarView()
        limited.append(
            contentsOf: text.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }
                .prefix(charactersMax))
        let trimmed = Inputs.trimmed(String(limited))
        return trimmed.isEmpty ? nil : trimmed
    }
}
