import CLibpq
import EventLoop
import Logging

extension PostgresConnection {
    /// Begins to connect. On the loop.
    func start(completion: @escaping (Result<Void, PostgresError>) -> Void) {
        loop.preconditionIsolated()
        if case .closed(let error) = state { return completion(.failure(error)) }
        connected = completion
        loop.schedule(after: configuration.connectTimeout) { [weak self] in
            guard let self, case .connecting = state else { return }
            close(.unavailable(reason: "connecting took longer than \(configuration.connectTimeout)"))
        }
        let keywords = configuration.connectionKeywords
        guard let names = HostNames(keywords: keywords) else { return begin(keywords) }
        Task { [self] in
            let resolved: Result<[String: String], PostgresError>
            do {
                resolved = .success(try await HostNames.workers.run { try names.resolved() })
            } catch let error as PostgresError {
                resolved = .failure(error)
            } catch {
                resolved = .failure(.unavailable(reason: "too many lookups of the database's host name wait"))
            }
            loop.execute { [self] in
                // Too late, or closed.
                guard case .connecting = state else { return }
                switch resolved {
                case .success(let hosts): begin(keywords.merging(hosts) { $1 })
                case .failure(let error): close(error)
                }
            }
        }
    }

    /// Gives libpq its keywords.
    private func begin(_ keywords: [String: String]) {
        let names = Array(keywords.keys)
        let handle = withCStrings(names) { namePointers in
            withCStrings(names.map { keywords[$0] ?? "" }) { valuePointers in
                PQconnectStartParams(namePointers, valuePointers, 0)
            }
        }
        guard let handle else {
            close(.unavailable(reason: "no memory for a connection"))
            return
        }
        self.handle = handle
        guard PQstatus(handle) != CONNECTION_BAD else {
            close(.unavailable(reason: lastMessage))
            return
        }
        PQsetNoticeReceiver(handle, { logNotice($0, $1) }, Unmanaged.passUnretained(self).toOpaque())
        // The manual asks to behave as if PQconnectPoll had returned PGRES_POLLING_WRITING.
        watchWhileConnecting(reading: false, writing: true)
    }

    private func pollConnecting() {
        guard case .connecting = state, let handle else { return }
        // libpq may close its socket and open another (next host, no TLS), even under the same number.
        watch?.cancel()
        watch = nil
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: watchWhileConnecting(reading: true, writing: false)
        case PGRES_POLLING_WRITING: watchWhileConnecting(reading: false, writing: true)
        case PGRES_POLLING_OK: becomeOpen(handle)
        default: close(.unavailable(reason: lastMessage))
        }
    }

    private func watchWhileConnecting(reading: Bool, writing: Bool) {
        guard let handle else { return }
        do {
            let watch = try DescriptorWatch(descriptor: PQsocket(handle), loop: loop) { _, _ in self.pollConnecting() }
            watch.setInterest(reading: reading, writing: writing)
            self.watch = watch
        } catch {
            close(.unavailable(reason: "\(error)"))
        }
    }

    private func becomeOpen(_ handle: OpaquePointer) {
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            close(.unavailable(reason: lastMessage))
            return
        }
        do {
            // Keeps the connection alive until it is closed, which cancels the watch.
            watch = try DescriptorWatch(descriptor: PQsocket(handle), loop: loop) { readable, _ in
                if readable { self.receive() }
                self.flush()
            }
        } catch {
            close(.unavailable(reason: "\(error)"))
            return
        }
        state = .open
        let connected = self.connected
        self.connected = nil
        connected?(.success(()))
        sendWaiting()
    }

    /// The fact in libpq's last message. It names hosts and roles, never passwords.
    var lastMessage: String {
        guard let handle, let message = PQerrorMessage(handle) else { return "the connection was lost" }
        // The lines below the first guess at causes.
        return String(cString: message).split(separator: "\n").first.map(String.init) ?? "the connection was lost"
    }
}

/// Notices go to the log: severity and primary message only, as details may quote rows.
private func logNotice(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let context, let result else { return }
    let connection = Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue()
    let severity = diagnosticField(result, "S") ?? "NOTICE"
    let level: Logger.Level = severity == "WARNING" ? .notice : .debug
    // 25P01 is the answer to a ROLLBACK with nothing to roll back, which a group's retry sends on purpose.
    guard diagnosticField(result, "C") != "25P01" else { return }
    connection.logger.log(level: level, "\(severity): \(diagnosticField(result, "M") ?? "")")
}

/// A field of an error or notice (PostgreSQL manual, `PQresultErrorField`).
func diagnosticField(_ result: OpaquePointer, _ code: Unicode.Scalar) -> String? {
    PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
}

/// Lends an array of C strings that ends with a null pointer.
private func withCStrings<R>(_ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R) -> R {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for string in strings {
        offsets.append(bytes.count)
        bytes.append(contentsOf: string.utf8CString)
    }
    return bytes.withUnsafeBufferPointer { buffer in
        var pointers: [UnsafePointer<CChar>?] = offsets.map { offset in buffer.baseAddress.map { $0 + offset } }
        pointers.append(nil)
        return pointers.withUnsafeBufferPointer { list in
            // The list holds at least the final null, so it has an address.
            body(list.baseAddress!)
        }
    }
}
