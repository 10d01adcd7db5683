import Wire

/// Domains of the addresses that may register (T-1).
public struct EmailDomains: Sendable, Equatable {
    /// Largest number of domains.
    public static let countMax = 32
    /// Lower case, without `@`; empty admits all.
    public let names: [String]

    /// Admits every address.
    public init() { names = [] }

    /// Parses `campus.example,students.campus.example`. Returns nil for text that has no such form.
    public init?(_ text: String) {
        let names = text.split(separator: ",").map { Inputs.trimmed(String($0)).lowercased() }
        guard (1...Self.countMax).contains(names.count), names.allSatisfy({ Registration.isEmail("x@\($0)") }) else {
            return nil
        }
        self.names = names
    }

    /// - Throws: ``Wire/RPCError`` `rejected` for the address of another domain.
    func require(_ email: String) throws {
        guard !names.isEmpty, !names.contains(where: { Inputs.key(email).hasSuffix("@" + $0) }) else { return }
        let endings = names.map { "@\($0)" }.formatted(.list(type: .or).locale(.init(identifier: "en")))
        throw RPCError(.rejected, "Use a campus email: one that ends with \(endings)", field: "email")
    }
}
