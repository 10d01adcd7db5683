import CCurl
import EventLoop

/// A request with a body, and the status that it was answered with.
struct HTTPPost {
    /// How it went.
    enum Outcome: Equatable {
        /// It was answered.
        case answered(Int, retryAfter: Double?)
        /// It did not get there.
        case notSent
        /// Some of it left, and no answer came.
        case unanswered
        /// The name leads to where nothing may be sent.
        case forbiddenAddress
    }

    var method = "POST"
    var url: String
    /// Field lines, without control characters.
    var headers: [String]
    var body: [UInt8]
    /// Beyond https.
    var allowsPlain = false
    /// Nil lets every address be spoken to.
    var mayConnect: (@Sendable (IPAddress) -> Bool)?
    /// PEM file with authorities to trust instead of the system's.
    var authorityFile: String?

    /// Blocks: on a worker.
    /// - Parameter idle: Keeps connections open. Without it, every request has a connection of its own and is sent once at most:
    ///   libcurl sends again what it sent on a connection that had ended already.
    func perform(_ idle: IdleHandles? = nil) throws -> Outcome {
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
        // Copied, so that a request on a connection that has ended meanwhile can begin anew.
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
