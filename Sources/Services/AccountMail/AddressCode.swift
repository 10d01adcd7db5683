import Wire

/// A code that confirms an address (T-1): decimal digits for a person to type. There are enough that guesses from many accounts together
/// take years.
enum AddressCode {
    static let digits = 8

    /// A new code.
    static func make() -> String { Secrets.makeCode(digits: digits) }

    /// Parses what a person typed.
    /// - Throws: ``Wire/RPCError`` naming `code`.
    static func parse(_ text: String?) throws -> String {
        let code = (text ?? "").filter { $0 != " " }
        guard code.utf8.count == digits, code.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw RPCError.invalid("code", "has \(digits) digits")
        }
        return code
    }

    /// Stored digest. It hides the code from whoever reads over a shoulder, not from whoever steals the table; a code lasts a day.
    static func hash(_ code: String, account: Int64) -> [UInt8] { Secrets.hash("\(account)/\(code)") }
}
