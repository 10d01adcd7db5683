import CCurl
import EventLoop
import Glibc
import Synchronization

/// One exchange by libcurl, which blocks: on a worker, never on a loop. Used by one thread, once.
final class Transfer {
    /// To connect, with TLS.
    static let connectSecondsMax = 10
    /// For all of it.
    static let totalSecondsMax = 30
    /// Of an answer; what is more is not read.
    static let answerBytesMax = 16_384

    /// libcurl is set up once for the process, before anything else uses it.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    let handle: UnsafeMutableRawPointer
    let state = State()
    private var isReleased = false

    /// What callbacks see. Used by the transfer's thread alone.
    final class State {
        var answerBytes = 0
        var body: [UInt8] = []
        var bodyOffset = 0
        /// The first four letters of the last command that a mail server was given, but for the good-bye.
        var lastCommand: [UInt8] = []
        /// What it answered to that; 0 for nothing.
        var lastReply = 0
        /// The good-bye was said.
        var isLeaving = false
        /// Nil lets everything through.
        var mayConnect: ((IPAddress) -> Bool)?
        var refusedAddress = false

        var isBodySent: Bool { bodyOffset == body.count && !body.isEmpty }
    }

    /// There is no memory for it.
    struct NoHandle: Error {}

    /// - Parameter handle: One that served before, with its open connections; nil makes one.
    init(reusing handle: UnsafeMutableRawPointer? = nil) throws {
        guard Self.isReady, let handle = handle ?? curl_easy_init() else { throw NoHandle() }
        self.handle = handle
        curl_easy_reset(handle)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT, Self.connectSecondsMax)
        set(CURLOPT_TIMEOUT, Self.totalSecondsMax)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        // Not even one of the environment: the address that is looked at must be the one that is spoken to.
        set(CURLOPT_PROXY, "")
        let context = Unmanaged.passUnretained(state).toOpaque()
        campanile_curl_set_write(handle) { _, size, count, context in
            guard let context else { return 0 }
            let state = Unmanaged<State>.fromOpaque(context).takeUnretainedValue()
            state.answerBytes += size * count
            return state.answerBytes > Transfer.answerBytesMax ? 0 : size * count
        }
        campanile_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        campanile_curl_set_open_socket(handle) { context, _, address in
            guard let context, let address else { return CURL_SOCKET_BAD }
            return Transfer.open(&address.pointee, Unmanaged<State>.fromOpaque(context).takeUnretainedValue())
        }
        campanile_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, context)
    }

    /// Opens a socket to an address that is allowed: asked at each connection, whatever a name meant a moment ago.
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

    /// What is sent, given to libcurl as it asks for it.
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

    /// Runs it.
    /// - Parameter lists: Of strings, with the options that they belong to.
    /// - Returns: libcurl's word; what the server said is in ``status``.
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

    /// The last answer's number; 0 for none.
    var status: Int {
        var value = 0
        campanile_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &value)
        return value
    }

    /// Seconds that the other side asks to be left alone (RFC 9110 §10.2.3).
    var retryAfter: Double? {
        var value: Int64 = 0
        campanile_curl_get_size(handle, CURLINFO_RETRY_AFTER, &value)
        return value > 0 ? Double(value) : nil
    }

    /// Whether any of the request has left.
    var hasSentRequest: Bool {
        var value = 0
        campanile_curl_get_long(handle, CURLINFO_REQUEST_SIZE, &value)
        return value > 0
    }

    /// Gives the handle away, with its open connections; else it is closed with the transfer.
    func release() -> UnsafeMutableRawPointer {
        // What the callbacks point to goes with this transfer.
        curl_easy_reset(handle)
        isReleased = true
        return handle
    }

    deinit { if !isReleased { curl_easy_cleanup(handle) } }
}

/// Handles that wait with their open connections, so that not every message needs a TLS handshake. From any thread.
final class IdleHandles: Sendable {
    private struct Handle: @unchecked Sendable {
        // libcurl's handles may go from thread to thread, as long as one at a time uses them (libcurl-thread(3)).
        let pointer: UnsafeMutableRawPointer
    }
    private let handles = Mutex<[Handle]>([])
    private let countMax: Int

    /// - Parameter countMax: More are closed.
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
