import CCurl
import EventLoop

/// An HTTP request with a body, whose result is the status code.
struct HTTPPost {
    /// Result of a request.
    enum Outcome: Equatable {
        /// The server answered with a status code. `retryAfter` is in seconds.
        case answered(Int, retryAfter: Double?)
        /// No byte of the request was sent.
        case notSent
        /// At least a part of the request was sent, and no answer arrived.
        case unanswered
        /// The host name resolves to an address that `mayConnect` rejects.
        case forbiddenAddress
    }

    var method = "POST"
    var url: String
    /// Header lines, without control characters.
    var headers: [String]
    var body: [UInt8]
    /// Whether `http` is allowed besides `https`.
    var allowsPlain = false
    /// Filter of addresses to connect to; nil allows all.
    var mayConnect: (@Sendable (IPAddress) -> Bool)?
    /// PEM file with the certificate authorities to trust instead of the system's.
    var authorityFile: String?

    /// Sends the request. Blocks: call it on a worker thread.
    /// - Parameter idle: Pool of open connections to reuse. Without it, each request has a new connection and is sent at most once:
    ///   libcurl resends a request if a reused connection turns out to be closed.
    func perform(_ idle: ConnectionPool? = nil) throws -> Outcome {
        let transfer = try Transfer(reusing: idle?.take())
        transfer.state.mayConnect = mayConnect
        transfer.set(CURLOPT_URL, url)
        transfer.set(CURLOPT_PROTOCOLS_STR, allowsPlain ? "http,https" : "https")
        transfer.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        if let authorityFile { transfer.set(CURLOPT_CAINFO, authorityFile) }
        if idle == nil {
            transfer.set(CURLOPT_FRESH_CONNECT, 1)
            transfer.set(CURLOPT_FORBID_REUSE, 1)
        }
        transfer.set(CURLOPT_POST, 1)
        transfer.set(CURLOPT_CUSTOMREQUEST, method)
        // libcurl copies the body, so that it can resend the request if a reused connection is closed.
        campanile_curl_set_size(transfer.handle, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
        _ = body.withUnsafeBytes {
            campanile_curl_set_pointer(
                transfer.handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
        }
        // No `Expect: 100-continue`: some gateways never answer it.
        _ = transfer.perform([(CURLOPT_HTTPHEADER, headers + ["Expect:", "User-Agent: Campanile"])])
        let outcome: Outcome =
            if transfer.status >= 200 {
                .answered(transfer.status, retryAfter: transfer.retryAfter)
            } else if transfer.state.refusedAddress {
                .forbiddenAddress
            } else {
                transfer.hasSentRequest ? .unanswered : .notSent
            }
        if let idle { idle.give(transfer.release()) }
        return outcome
    }
}
