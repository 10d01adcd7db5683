import CLibpq
import EventLoop
import Logging

extension PostgresConnection {
    /// Starts to connect. On the loop.
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
                // The connection may have timed out or been closed during the lookup.
                guard case .connecting = state else { return }
                switch resolved {
                case .success(let hosts): begin(keywords.merging(hosts) { $1 })
                case .failure(let error): close(error)
                }
            }
        }
    }

    /// Starts libpq's connection attempt with the keywords.
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
        // libpq may close its socket and open another one (next host, no TLS), even with the same descriptor number.
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
            // The closure keeps the connection alive until closing it cancels the watch.
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

    /// The first line of libpq's last error message. It may name hosts and roles, never passwords.
    var lastMessage: String {
        guard let handle, let message = PQerrorMessage(handle) else { return "the connection was lost" }
        // Later lines only guess at causes.
        return String(cString: message).split(separator: "\n").first.map(String.init) ?? "the connection was lost"
    }
}

/// Logs the severity and primary message of a notice. Details may quote rows, so they are left out.
private func logNotice(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let context, let result else { return }
    let connection = Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue()
    let severity = diagnosticField(result, "S") ?? "NOTICE"
    let level: Logger.Level = severity == "WARNING" ? .notice : .debug
    // 25P01 answers a ROLLBACK outside of a transaction. The group writer's retry sends such ROLLBACKs on purpose.
    guard diagnosticField(result, "C") != "25P01" else { return }
    connection.logger.log(level: level, "\(severity): \(diagnosticField(result, "M") ?? "")")
}

/// One field of an error or notice (PostgreSQL manual, `PQresultErrorField`).
func diagnosticField(_ result: OpaquePointer, _ code: Unicode.Scalar) -> String? {
    PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
}

/// Calls `body` with an array of C strings that ends with a null pointer.
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
            // The list holds at least the final null, so its base address is not nil.
            body(list.baseAddress!)
        }
    }
}
