import CEpoll
import Foundation
import Glibc

/// A TCP relay that can hold back all data, like a cut network: neither side is notified.
///
/// One thread per direction. `@unchecked Sendable`: the descriptors are set in `init`; a lock protects the rest.
final class LossRelay: LossLink, @unchecked Sendable {
    private static let chunkBytes = 65_536
    /// Interval between two checks whether the cut has ended.
    private static let cutCheckMicroseconds: UInt32 = 10_000

    let port: UInt16
    var natsAddress: String { "127.0.0.1:\(port)" }
    var host: String { "127.0.0.1" }
    var launcher: [String] { [] }
    private let listener: Int32
    private let target: UInt16
    private let lock = NSLock()
    private var isCut = false
    private var isStopped = false
    private var open: Set<Int32> = []

    init(to target: UInt16) throws {
        self.target = target
        guard let (listener, port) = Self.bound() else { throw BenchError(description: "no port can be listened on") }
        (self.listener, self.port) = (listener, port)
        listen(listener, 16)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Cuts or restores the connections.
    func setCut(_ isCut: Bool) { lock.withLock { self.isCut = isCut } }

    func stop() {
        lock.withLock {
            isStopped = true
            for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let near = Glibc.accept(listener, nil, nil)
            guard near >= 0 else { break }
            guard let far = Self.connected(to: target) else {
                close(near)
                continue
            }
            lock.withLock { open.formUnion([near, far]) }
            let pair = Pair(near: near, far: far)
            Thread.detachNewThread { [self] in pass(near, far, pair) }
            Thread.detachNewThread { [self] in pass(far, near, pair) }
        }
        close(listener)
    }

    /// Both directions of a connection; the second to end closes the descriptors.
    private final class Pair: @unchecked Sendable {
        let near, far: Int32
        var ended = 0
        init(near: Int32, far: Int32) { (self.near, self.far) = (near, far) }
    }

    private func pass(_ from: Int32, _ to: Int32, _ pair: Pair) {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        reading: while true {
            while lock.withLock({ isCut && !isStopped }) { usleep(Self.cutCheckMicroseconds) }
            let count = recv(from, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            while lock.withLock({ isCut && !isStopped }) { usleep(Self.cutCheckMicroseconds) }
            var sent = 0
            while sent < count {
                let more = chunk[sent..<count].withUnsafeBytes {
                    campanile_send(to, $0.baseAddress, $0.count)
                }
                guard more > 0 else { break reading }
                sent += more
            }
        }
        shutdown(from, Int32(SHUT_RDWR))
        shutdown(to, Int32(SHUT_RDWR))
        lock.withLock {
            pair.ended += 1
            guard pair.ended == 2 else { return }
            for descriptor in [pair.near, pair.far] {
                open.remove(descriptor)
                close(descriptor)
            }
        }
    }

    // MARK: Local sockets

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private static func with(_ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32) -> Int32 {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }

    private static func bound() -> (Int32, UInt16)? {
        let descriptor = campanile_tcp_socket()
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard descriptor >= 0, with(&address, { bind(descriptor, $0, length) }) == 0,
            with(&address, { getsockname(descriptor, $0, &length) }) == 0
        else { return nil }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    static func connected(to port: UInt16) -> Int32? {
        let descriptor = campanile_tcp_socket()
        var address = address(port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard descriptor >= 0, with(&address, { connect(descriptor, $0, length) }) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        return descriptor
    }

    /// A port that was free a moment ago.
    static func freePort() throws -> UInt16 {
        guard let (descriptor, port) = bound() else { throw BenchError(description: "no port is free") }
        close(descriptor)
        return port
    }
}
