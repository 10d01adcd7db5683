import Glibc

/// A system call that failed.
public struct SystemError: Error, CustomStringConvertible, Sendable {
    /// The call, such as `bind`.
    public let call: String
    /// The `errno` it left.
    public let code: Int32

    /// - Parameters:
    ///   - call: The call that failed.
    ///   - code: Its `errno`.
    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// One plain fact, such as `bind: Address already in use`.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
