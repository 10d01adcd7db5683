import CCurl

/// An HTTP request whose answer is read: GET, or POST of a form. Redirects are not followed.
public struct HTTPFetch: Sendable {
    /// Maximum time of the whole exchange: a person waits for it.
    public static let totalSecondsMax = 10

    /// Result of a request.
    public enum Outcome: Sendable, Equatable {
        /// The server answered with a status code and a body.
        case answered(Int, body: [UInt8])
        /// The server cannot be reached, or did not answer in time.
        case unreachable
        /// The server's certificate is not trusted, or TLS failed.
        case untrusted
        /// The body is longer than allowed.
        case tooLong
    }

    let url: String
    let headers: [String]
    let form: String?
    let allowsPlain: Bool
    let answerBytesMax: Int
    let authorityFile: String?

    /// - Parameters:
    ///   - headers: Header lines, without control characters.
    ///   - form: Body of a POST; nil for a GET.
    ///   - allowsPlain: Whether `http` is allowed besides `https`.
    ///   - answerBytesMax: Maximum bytes of the body of the answer.
    ///   - authorityFile: PEM file with the certificate authorities to trust instead of the system's.
    public init(
        url: String, headers: [String], form: String? = nil, allowsPlain: Bool, answerBytesMax: Int,
        authorityFile: String? = nil
    ) {
        (self.url, self.headers, self.form) = (url, headers, form)
        (self.allowsPlain, self.answerBytesMax, self.authorityFile) = (allowsPlain, answerBytesMax, authorityFile)
    }

    /// Sends the request. Blocks: call it on a worker thread.
    public func perform() -> Outcome {
        guard let transfer = try? Transfer() else { return .unreachable }
        transfer.state.answer = []
        transfer.state.answerBytesMax = answerBytesMax
        transfer.set(CURLOPT_URL, url)
        transfer.set(CURLOPT_PROTOCOLS_STR, allowsPlain ? "http,https" : "https")
        transfer.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        transfer.set(CURLOPT_CONNECTTIMEOUT, Self.totalSecondsMax)
        transfer.set(CURLOPT_TIMEOUT, Self.totalSecondsMax)
        if let authorityFile { transfer.set(CURLOPT_CAINFO, authorityFile) }
        if let form {
            let body = Array(form.utf8)
            transfer.set(CURLOPT_POST, 1)
            campanile_curl_set_size(transfer.handle, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
            _ = body.withUnsafeBytes {
                campanile_curl_set_pointer(
                    transfer.handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
            }
        }
        let code = transfer.perform([(CURLOPT_HTTPHEADER, headers + ["Expect:", "User-Agent: Campanile"])])
        switch code {
        case CURLE_OK: return .answered(transfer.status, body: transfer.state.answer ?? [])
        case _ where transfer.state.answerBytes > answerBytesMax: return .tooLong
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE: return .untrusted
        default: return .unreachable
        }
    }
}
