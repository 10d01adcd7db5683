import Glibc

/// Failed system call.
public struct SystemError: Error, CustomStringConvertible, Sendable {
    /// The call, such as `bind`.
    public let call: String
    /// The call's `errno`.
    public let code: Int32

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// Text such as `bind: Address already in use`.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
