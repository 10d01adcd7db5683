import Delivery
import EventLoop
import OpenID
import Wire

/// What this server knows of a provider: its configuration and its keys, each for a limited time. Confined to the actor that owns it.
///
/// Nothing is loaded before a person wants to sign in, so a provider that is down delays no start. After a failure the next attempts fail
/// at once, for a time that doubles.
final class OpenIDProvider {
    /// Seconds for which a configuration or a key set is used after it was loaded.
    static let documentSecondsMax = 3_600.0
    /// Seconds between two loads of the keys because a token names an unknown one: anybody can name one.
    static let unknownKeySecondsMin = 30.0
    /// Seconds after a failed load in which the next attempts fail at once, at first and at most.
    static let retrySecondsFirst = 2.0
    static let retrySecondsMax = 120.0

    let settings: ProviderSettings
    /// Sends a request on a worker.
    let fetch: @Sendable (TokenExchange.Request) async throws -> TokenExchange.Answer
    private let now: @Sendable () -> Timestamp

    private var metadata: (value: ProviderMetadata, at: Timestamp)?
    private var keys: (value: KeySet, at: Timestamp)?
    private var loading: Task<ProviderMetadata, any Error>?
    private var loadingKeys: Task<KeySet, any Error>?
    private var failures: Int64 = 0
    private var failed: (error: any Error, at: Timestamp, seconds: Double)?

    init(
        _ settings: ProviderSettings, now: @escaping @Sendable () -> Timestamp,
        fetch: @escaping @Sendable (TokenExchange.Request) async throws -> TokenExchange.Answer
    ) {
        (self.settings, self.now, self.fetch) = (settings, now, fetch)
    }

    private func isFresh(_ at: Timestamp) -> Bool {
        (0..<Self.documentSecondsMax).contains(now().seconds(since: at))
    }

    /// The provider's configuration, loaded if the known one is too old.
    /// - Throws: ``OpenID/OpenIDFailure``, `WorkerPool.Overloaded`.
    func loadMetadata(isolation: isolated OpenIDSignIn) async throws -> ProviderMetadata {
        if let metadata, isFresh(metadata.at) { return metadata.value }
        if let loading { return try await loading.value }
        // By the time since the failure: a clock that was set back must not prolong the wait.
        if let failed, (0..<failed.seconds).contains(now().seconds(since: failed.at)) { throw failed.error }
        let task = Task { [settings, fetch] in
            let url = settings.discoveryURL
            let answer = try await fetch(TokenExchange.document(url, answerBytesMax: ProviderMetadata.bytesMax))
            return try ProviderMetadata(try answer.document, of: settings)
        }
        loading = task
        defer { loading = nil }
        do {
            let value = try await task.value
            metadata = (value, now())
            (failures, failed) = (0, nil)
            return value
        } catch let error as WorkerPool.Overloaded {
            // The provider did not fail.
            throw error
        } catch {
            failures += 1
            let wait = Backoff.seconds(
                attempts: failures, first: Self.retrySecondsFirst, max: Self.retrySecondsMax, random: 1)
            failed = (error, now(), wait)
            throw error
        }
    }

    /// The provider's keys, loaded if the known ones are too old.
    /// - Parameter isUnknown: Whether a token names a key that is not among the known ones. They are loaded again, but not more often than
    ///   ``unknownKeySecondsMin`` allows.
    func loadKeys(
        _ metadata: ProviderMetadata, isUnknown: Bool = false, isolation: isolated OpenIDSignIn
    ) async throws -> KeySet {
        if let keys, isFresh(keys.at) {
            guard isUnknown, now().seconds(since: keys.at) >= Self.unknownKeySecondsMin else { return keys.value }
        }
        if let loadingKeys { return try await loadingKeys.value }
        let task = Task { [fetch] in
            let answer = try await fetch(TokenExchange.document(metadata.keysURL, answerBytesMax: KeySet.bytesMax))
            return try KeySet(try answer.document)
        }
        loadingKeys = task
        defer { loadingKeys = nil }
        let value = try await task.value
        keys = (value, now())
        return value
    }
}

extension ProviderSettings {
    /// Address of the provider's configuration (OpenID Connect Discovery 1.0 §4.1).
    public var discoveryURL: String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + ProviderMetadata.path
    }
}

extension TokenExchange.Answer {
    /// The body of a document of the provider's.
    /// - Throws: ``OpenID/OpenIDFailure``.
    public var document: [UInt8] {
        get throws(OpenIDFailure) {
            switch status {
            case 200: return body
            case 429, 500...: throw .unreachable("it answered \(status)")
            default: throw .badMetadata("it answered \(status)")
            }
        }
    }
}

extension TokenExchange.Request {
    /// Sends the request. Blocks: call it on a worker thread.
    /// - Throws: ``OpenID/OpenIDFailure``.
    public func send(authorityFile: String? = nil) throws(OpenIDFailure) -> TokenExchange.Answer {
        let fetch = HTTPFetch(
            url: url, headers: headers, form: form, allowsPlain: ProviderURL(url)?.isPlain ?? false,
            answerBytesMax: answerBytesMax, authorityFile: authorityFile)
        switch fetch.perform() {
        case .answered(let status, let body): return TokenExchange.Answer(status: status, body: body)
        case .unreachable: throw .unreachable("it cannot be reached, or does not answer")
        case .untrusted: throw .unreachable("its certificate is not trusted")
        case .tooLong: throw .badMetadata("an answer is longer than \(answerBytesMax) bytes")
        }
    }
}
