import CCurl
import Foundation

/// The operator's mail server (RFC 5321, RFC 6409), by libcurl. Blocks: use it on worker threads. Callable from any thread.
public struct MailServer: Sendable {
    /// Reason why a URL was rejected.
    public struct Invalid: Error, CustomStringConvertible {
        public let description: String
    }

    /// Encryption of the connection.
    public enum Security: Sendable, Equatable {
        /// TLS from the first byte: `smtps://` (RFC 8314).
        case tls
        /// Mandatory STARTTLS: `smtp://` (RFC 3207).
        case startTLS
        /// No encryption: `smtp+plain://`, for a server on the same machine.
        case none
    }

    private let url: String
    /// Host and port, without user and password.
    public let name: String
    let security: Security
    private let user: String?
    private let password: String?
    private let authorityFile: String?

    /// - Parameters:
    ///   - url: `smtp://host:587`, `smtps://host:465` or `smtp+plain://localhost:25`, without user and password.
    ///   - user: The user to sign in as. Needs a password and TLS.
    ///   - authorityFile: PEM file with the certificate authorities to trust instead of the system's.
    /// - Throws: ``Invalid``.
    public init(
        url: String, user: String? = nil, password: String? = nil, authorityFile: String? = nil
    ) throws(Invalid) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty, parts.path.isEmpty,
            parts.query == nil, parts.fragment == nil, (1...65_535).contains(parts.port ?? 25)
        else { throw Invalid(description: "must be like smtp://mail.example.org:587 or smtps://mail.example.org:465") }
        guard parts.user == nil, parts.password == nil else {
            throw Invalid(description: "must not have a user or password, which everybody on this machine would see")
        }
        let scheme: String
        let port: Int
        switch parts.scheme {
        case "smtps": (security, scheme, port) = (.tls, "smtps", 465)
        case "smtp": (security, scheme, port) = (.startTLS, "smtp", 587)
        case "smtp+plain": (security, scheme, port) = (.none, "smtp", 25)
        default: throw Invalid(description: "must begin with smtp://, smtps:// or smtp+plain://")
        }
        guard (user == nil) == (password == nil) else {
            throw Invalid(description: "needs both a user and a password, or neither")
        }
        guard user == nil || security != .none else {
            throw Invalid(description: "must not be smtp+plain:// with a password, which the network would see")
        }
        name = "\(host):\(parts.port ?? port)"
        self.url = "\(scheme)://\(host):\(parts.port ?? port)/"
        (self.user, self.password, self.authorityFile) = (user, password, authorityFile)
    }

    /// Sends a mail and waits for the server's answer.
    public func send(_ mail: [UInt8], from: MailAddress, to: MailAddress) -> DeliveryOutcome {
        guard let transfer = try? Transfer() else { return .later("there is no memory for a connection") }
        set(transfer)
        transfer.set(CURLOPT_URL, url + from.domain)
        transfer.set(CURLOPT_MAIL_FROM, "<\(from)>")
        transfer.set(CURLOPT_UPLOAD, 1)
        transfer.setBody(mail)
        watchCommands(of: transfer)
        let code = transfer.perform([(CURLOPT_MAIL_RCPT, ["<\(to)>"])])
        if code == CURLE_OK { return .sent }
        return Self.judge(
            code, reply: transfer.state.lastReply, after: String(decoding: transfer.state.lastCommand, as: UTF8.self),
            isBodySent: transfer.state.isBodySent)
    }

    /// Tests the connection for `doctor`: connects, starts TLS, signs in and disconnects.
    /// - Returns: An error message, or nil if all steps succeeded.
    public func trouble() -> String? {
        guard let transfer = try? Transfer() else { return "there is no memory for a connection" }
        set(transfer)
        transfer.set(CURLOPT_URL, url)
        transfer.set(CURLOPT_CUSTOMREQUEST, "NOOP")
        let code = transfer.perform([])
        return code == CURLE_OK ? nil : String(cString: curl_easy_strerror(code))
    }

    private func set(_ transfer: Transfer) {
        transfer.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        transfer.set(CURLOPT_FRESH_CONNECT, 1)
        transfer.set(CURLOPT_FORBID_REUSE, 1)
        // Require TLS: a server that does not offer STARTTLS gets no mail.
        if security == .startTLS { transfer.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
        if let authorityFile { transfer.set(CURLOPT_CAINFO, authorityFile) }
        if let user, let password {
            transfer.set(CURLOPT_USERNAME, user)
            transfer.set(CURLOPT_PASSWORD, password)
        }
    }

    /// Records the last command and its reply, because the command decides what a refusal means.
    ///
    /// Commands may hold a password, so only their first four letters are read. libcurl's own result is useless here: after a
    /// refusal it is that of `QUIT`.
    private func watchCommands(of transfer: Transfer) {
        transfer.set(CURLOPT_VERBOSE, 1)
        campanile_curl_set_debug(transfer.handle) { _, type, bytes, count, context in
            guard type == CURLINFO_HEADER_OUT || type == CURLINFO_HEADER_IN, let bytes, let context else { return 0 }
            let state = Unmanaged<Transfer.State>.fromOpaque(context).takeUnretainedValue()
            let start = (0..<min(count, 4)).map { UInt8(bitPattern: bytes[$0]) }
            MailServer.note(start, isCommand: type == CURLINFO_HEADER_OUT, in: state)
            return 0
        }
        campanile_curl_set_pointer(
            transfer.handle, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(transfer.state).toOpaque())
    }

    /// - Parameter start: The first four letters of a line.
    private static func note(_ start: [UInt8], isCommand: Bool, in state: Transfer.State) {
        if isCommand, start == Array("QUIT".utf8) { state.isLeaving = true }
        guard !state.isLeaving else { return }
        guard isCommand else {
            // Each line of a multi-line reply begins with the code.
            if let reply = Int(String(decoding: start.prefix(3), as: UTF8.self)) { state.lastReply = reply }
            return
        }
        state.lastCommand = start
        state.lastReply = 0
    }

    static func judge(_ code: CURLcode, reply: Int, after command: String, isBodySent: Bool) -> DeliveryOutcome {
        let isRefusal = (400..<600).contains(reply)
        // RFC 5321 §4.5.3.2.6: the server may have accepted the mail, and sending it again could duplicate it.
        if isBodySent, !isRefusal { return .doubtful("the mail server received the mail and did not acknowledge it") }
        guard isRefusal else {
            return .later("the mail server cannot be used: \(String(cString: curl_easy_strerror(code)))")
        }
        if reply < 500 { return .later("the mail server answered \(reply)") }
        // RFC 5321 §4.2.3: mailbox unavailable, not local, or name not allowed. Only after RCPT do these codes concern the
        // recipient.
        if command == "RCPT", [550, 551, 553].contains(reply) {
            return .dead("the mail server does not take mail for this address (\(reply))")
        }
        // The server rejects Campanile itself, not the mail. The operator can correct that.
        if command != "RCPT", command != "DATA" { return .later("the mail server refuses us with \(reply)") }
        return .refused("the mail server refused the mail with \(reply)")
    }
}
