import CCurl
import EventLoop
import Glibc
import Synchronization

/// One blocking exchange by libcurl: run it on a worker thread, never on a loop. One thread uses it, once.
final class Transfer {
    /// Maximum time to connect, including TLS.
    static let connectSecondsMax = 10
    /// Maximum time of the whole exchange.
    static let totalSecondsMax = 30
    /// Maximum bytes of an answer, unless the transfer has its own. A longer answer ends the transfer.
    static let answerBytesMax = 16_384

    /// Initialises libcurl once per process, before its first use.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    let handle: UnsafeMutableRawPointer
    let state = State()
    private var isReleased = false

    /// State of the callbacks. Confined to the transfer's thread.
    final class State {
        var answerBytes = 0
        /// Maximum of `answerBytes`.
        var answerBytesMax = Transfer.answerBytesMax
        /// The answer's body; nil if it is not kept.
        var answer: [UInt8]?
        var body: [UInt8] = []
        var bodyOffset = 0
        /// The first four letters of the last SMTP command before `QUIT`.
        var lastCommand: [UInt8] = []
        /// Reply code of `lastCommand`; 0 if there is none yet.
        var lastReply = 0
        /// Whether `QUIT` was sent.
        var isLeaving = false
        /// Filter of addresses to connect to; nil allows all.
        var mayConnect: ((IPAddress) -> Bool)?
        var refusedAddress = false

        var isBodySent: Bool { bodyOffset == body.count && !body.isEmpty }
    }

    /// libcurl could not allocate a handle.
    struct OutOfMemory: Error {}

    /// - Parameter handle: A used handle with its open connections; nil creates one.
    init(reusing handle: UnsafeMutableRawPointer? = nil) throws {
        guard Self.isReady, let handle = handle ?? curl_easy_init() else { throw OutOfMemory() }
        self.handle = handle
        curl_easy_reset(handle)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT, Self.connectSecondsMax)
        set(CURLOPT_TIMEOUT, Self.totalSecondsMax)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        // Ignore proxies, also those of the environment: the checked address must be the one that libcurl connects to.
        set(CURLOPT_PROXY, "")
        let context = Unmanaged.passUnretained(state).toOpaque()
        campanile_curl_set_write(handle) { bytes, size, count, context in
            guard let context else { return 0 }
            let state = Unmanaged<State>.fromOpaque(context).takeUnretainedValue()
            state.answerBytes += size * count
            guard state.answerBytes <= state.answerBytesMax else { return 0 }
            state.answer?.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        campanile_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        campanile_curl_set_open_socket(handle) { context, _, address in
            guard let context, let address else { return CURL_SOCKET_BAD }
            return Transfer.open(&address.pointee, Unmanaged<State>.fromOpaque(context).takeUnretainedValue())
        }
        campanile_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, context)
    }

    /// Opens a socket if the address is allowed. The check runs at each connection, after name resolution, so a changed DNS entry
    /// cannot bypass it.
    private static func open(_ address: inout curl_sockaddr, _ state: State) -> curl_socket_t {
        if let mayConnect = state.mayConnect {
            let length = Int(INET6_ADDRSTRLEN)
            let text = withUnsafePointer(to: &address.addr) { pointer in
                withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { buffer -> String? in
                    let raw = UnsafeRawPointer(pointer)
                    let offset: Int? =
                        switch address.family {
                        case AF_INET: MemoryLayout<sockaddr_in>.offset(of: \.sin_addr)
                        case AF_INET6: MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
                        default: nil
                        }
                    guard let offset, let base = buffer.baseAddress,
                        inet_ntop(address.family, raw + offset, base, socklen_t(length)) != nil
                    else { return nil }
                    return String(cString: base)
                }
            }
            guard let ip = text.flatMap({ IPAddress($0) }), mayConnect(ip) else {
                state.refusedAddress = true
                return CURL_SOCKET_BAD
            }
        }
        return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    }

    func set(_ option: CURLoption, _ value: Int) { campanile_curl_set_long(handle, option, value) }

    func set(_ option: CURLoption, _ value: String) { campanile_curl_set_string(handle, option, value) }

    /// Sets the body, which libcurl reads in parts.
    func setBody(_ bytes: [UInt8]) {
        state.body = bytes
        campanile_curl_set_read(handle) { buffer, size, count, context in
            guard let buffer, let context else { return 0 }
            let state = Unmanaged<State>.fromOpaque(context).takeUnretainedValue()
            let length = min(size * count, state.body.count - state.bodyOffset)
            state.body.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(start: buffer, count: length)
                    .copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[state.bodyOffset..<state.bodyOffset + length]))
            }
            state.bodyOffset += length
            return length
        }
        campanile_curl_set_pointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(state).toOpaque())
    }

    /// Performs the transfer.
    /// - Parameter lists: String lists with the options that they are for.
    /// - Returns: libcurl's result code. The server's answer is in ``status``.
    func perform(_ lists: [(CURLoption, [String])]) -> CURLcode {
        var made: [UnsafeMutablePointer<curl_slist>?] = []
        defer { for list in made { curl_slist_free_all(list) } }
        for (option, values) in lists {
            var list: UnsafeMutablePointer<curl_slist>?
            for value in values { list = curl_slist_append(list, value) ?? list }
            made.append(list)
            campanile_curl_set_list(handle, option, list)
        }
        return withExtendedLifetime(state) { campanile_curl_perform(handle) }
    }

    /// The last status code of the server; 0 if there is none.
    var status: Int {
        var value = 0
        campanile_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &value)
        return value
    }

    /// Seconds that the server asks to wait (RFC 9110 §10.2.3); nil if it does not ask.
    var retryAfter: Double? {
        var value: Int64 = 0
        campanile_curl_get_size(handle, CURLINFO_RETRY_AFTER, &value)
        return value > 0 ? Double(value) : nil
    }

    /// Whether a part of the request was sent.
    var hasSentRequest: Bool {
        var value = 0
        campanile_curl_get_long(handle, CURLINFO_REQUEST_SIZE, &value)
        return value > 0
    }

    /// Transfers ownership of the handle and its open connections to the caller. Otherwise `deinit` closes them.
    func release() -> UnsafeMutableRawPointer {
        // The callback contexts end with this transfer.
        curl_easy_reset(handle)
        isReleased = true
        return handle
    }

    deinit { if !isReleased { curl_easy_cleanup(handle) } }
}

/// A pool of idle handles with open connections, which saves TLS handshakes. Callable from any thread.
final class ConnectionPool: Sendable {
    private struct Handle: @unchecked Sendable {
        // libcurl allows a handle to move between threads while only one uses it (libcurl-thread(3)).
        let pointer: UnsafeMutableRawPointer
    }
    private let handles = Mutex<[Handle]>([])
    private let countMax: Int

    /// - Parameter countMax: Maximum of idle handles. Further ones are closed.
    init(countMax: Int) { self.countMax = countMax }

    deinit { handles.withLock { for handle in $0 { curl_easy_cleanup(handle.pointer) } } }

    func take() -> UnsafeMutableRawPointer? { handles.withLock { $0.popLast()?.pointer } }

    func give(_ pointer: UnsafeMutableRawPointer) {
        let handle = Handle(pointer: pointer)
        let isKept = handles.withLock { handles in
            guard handles.count < countMax else { return false }
            handles.append(handle)
            return true
        }
        if !isKept { curl_easy_cleanup(pointer) }
    }
}
