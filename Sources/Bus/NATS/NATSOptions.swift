import CNats
import EventLoop
import Glibc

/// Options of the NATS library. Confined to the transport's writer queue.
///
/// Choices and reasons:
/// - Publishing fills the library's buffer of 32 kB. The library's thread sends it after at most a millisecond, or when it is full:
///   one system call for many messages. Sending each message immediately would save that millisecond.
/// - A write has a deadline, because the library holds its lock while it writes. Without a deadline, a network that drops every
///   packet would keep the ping timer from detecting the loss.
/// - Nothing is buffered for a later connection (one byte is the library's minimum). By then the other nodes have read the state
///   from PostgreSQL, and older messages would only cause extra work.
/// - One thread delivers the messages of all subscriptions in the order in which the server sent them. Heartbeats rely on this
///   order.
/// - The server does not send a message back to the node that published it.
/// - Reconnection attempts never end.
final class NATSOptions {
    let pointer: OpaquePointer
    /// Delay before a connection attempt that the library does not repeat itself: the first connection, and a refused one.
    let reconnectMilliseconds: ClosedRange<Int>

    /// - Throws: ``NATSConfiguration/Invalid`` for unusable files or options.
    init(_ configuration: NATSConfiguration, name: String) throws(NATSConfiguration.Invalid) {
        var created: OpaquePointer?
        guard natsOptions_Create(&created) == NATS_OK, let created else {
            throw NATSConfiguration.Invalid(description: "the NATS library does not start")
        }
        pointer = created
        let delay = Int(Self.milliseconds(configuration.reconnectDelay))
        reconnectMilliseconds = delay...delay + Int(Self.milliseconds(configuration.reconnectJitter))
        try setServers(configuration)
        try set("name", natsOptions_SetName(pointer, name))
        try set("no echo", natsOptions_SetNoEcho(pointer, true))
        try set("connect timeout", natsOptions_SetTimeout(pointer, Self.milliseconds(configuration.connectTimeout)))
        try set("reconnecting", natsOptions_SetAllowReconnect(pointer, true))
        try set("reconnects", natsOptions_SetMaxReconnect(pointer, .max))
        try set(
            "reconnect delay", natsOptions_SetReconnectWait(pointer, Self.milliseconds(configuration.reconnectDelay)))
        let jitter = Self.milliseconds(configuration.reconnectJitter)
        try set("reconnect jitter", natsOptions_SetReconnectJitter(pointer, jitter, jitter))
        try set("reconnect buffer", natsOptions_SetReconnectBufSize(pointer, 1))
        try set("ping interval", natsOptions_SetPingInterval(pointer, Self.milliseconds(configuration.pingInterval)))
        try set(
            "unanswered pings", natsOptions_SetMaxPingsOut(pointer, Int32(clamping: configuration.unansweredPingsMax)))
        try set("write timeout", natsOptions_SetWriteDeadline(pointer, Self.milliseconds(configuration.writeTimeout)))
        try set("delivery", natsOptions_UseGlobalMessageDelivery(pointer, true))
        try set(
            "waiting messages", natsOptions_SetMaxPendingMsgs(pointer, Int32(clamping: BusLimits.loopQueueMessagesMax)))
        try setSecurity(configuration)
    }

    deinit { natsOptions_Destroy(pointer) }

    private func setServers(_ configuration: NATSConfiguration) throws(NATSConfiguration.Invalid) {
        let scheme = configuration.isSecure ? "tls" : "nats"
        let strings: [UnsafeMutablePointer<CChar>?] = configuration.servers.map { strdup("\(scheme)://\($0)") }
        defer { for string in strings { free(string) } }
        var urls = strings.map { UnsafePointer($0) }
        try set("address", natsOptions_SetServers(pointer, &urls, Int32(urls.count)))
        switch configuration.credentials {
        case .none: break
        case .user(let user, let password): try set("user", natsOptions_SetUserInfo(pointer, user, password))
        case .token(let token): try set("token", natsOptions_SetToken(pointer, token))
        }
    }

    private func setSecurity(_ configuration: NATSConfiguration) throws(NATSConfiguration.Invalid) {
        if let file = configuration.credentialsFile {
            try Self.mustRead(file, "credentials")
            try set("credentials", natsOptions_SetUserCredentialsFromFiles(pointer, file, nil))
        }
        guard configuration.isSecure else {
            guard configuration.authorityFile == nil, configuration.certificateFile == nil,
                configuration.keyFile == nil,
                configuration.serverName == nil
            else {
                throw NATSConfiguration.Invalid(
                    description: "certificates for NATS are of no use with nats://: write tls:// in its address")
            }
            return
        }
        try set("TLS", natsOptions_SetSecure(pointer, true))
        if let file = configuration.authorityFile {
            try Self.mustRead(file, "authorities")
            guard natsOptions_LoadCATrustedCertificates(pointer, file) == NATS_OK else {
                throw NATSConfiguration.Invalid(description: "the file of NATS's authorities has no PEM certificates")
            }
        }
        switch (configuration.certificateFile, configuration.keyFile) {
        case (nil, nil): break
        case (let certificate?, let key?):
            try Self.mustRead(certificate, "certificate")
            try Self.mustRead(key, "key")
            guard natsOptions_LoadCertificatesChain(pointer, certificate, key) == NATS_OK else {
                throw NATSConfiguration.Invalid(
                    description: "the certificate and the key for NATS are not PEM files that belong together")
            }
        default:
            throw NATSConfiguration.Invalid(description: "a certificate for NATS and its key are given together")
        }
        if let name = configuration.serverName {
            try set("server name", natsOptions_SetExpectedHostname(pointer, name))
        }
    }

    private static func mustRead(_ file: String, _ what: String) throws(NATSConfiguration.Invalid) {
        guard access(file, R_OK) == 0 else {
            throw NATSConfiguration.Invalid(
                description: "the \(what) file for NATS cannot be read: \(String(cString: strerror(errno)))")
        }
    }

    private func set(_ what: String, _ status: natsStatus) throws(NATSConfiguration.Invalid) {
        guard status == NATS_OK else {
            throw NATSConfiguration.Invalid(
                description: "the NATS library refuses the \(what): \(String(cString: natsStatus_GetText(status)))")
        }
    }

    static func milliseconds(_ duration: Duration) -> Int64 { Int64(clamping: duration.nanoseconds / 1_000_000) }
}
