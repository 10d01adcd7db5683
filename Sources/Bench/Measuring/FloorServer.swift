import CEpoll
import Glibc

/// A baseline server with the minimal system calls of a server and nothing else: the best that the machine can do. One
/// thread, no protocol.
///
/// A connection's first byte selects its type. An `e` connection receives back everything that it sends. A message from
/// a `p` connection goes to every `s` connection, with one `send` per message and receiver.
public enum FloorServer {
    private static let bufferBytes = 65_536
    private static let eventsMax = 256
    private static let descriptorsMax = 65_536

    /// Serves forever on a port of 127.0.0.1 that the kernel chooses, and passes the port to `announce`.
    /// - Parameters:
    ///   - messageBytesIn: Length of one message from a `p` connection.
    ///   - messageBytesOut: Length of the message sent to each `s` connection for it.
    public static func run(messageBytesIn: Int, messageBytesOut: Int, announce: (UInt16) -> Void) throws {
        _ = campanile_end_with_parent()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = LoadSocket.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                let status = bind(listener, pointer, length)
                getsockname(listener, pointer, &length)
                return status
            }
        }
        guard status == 0, listen(listener, 4_096) == 0 else {
            throw BenchError(description: "the floor cannot listen: \(String(cString: strerror(errno)))")
        }
        announce(UInt16(bigEndian: address.sin_port))
        let epoll = epoll_create1(0)
        watch(listener, epoll)
        var kinds = [UInt8](repeating: 0, count: descriptorsMax)
        var subscribers: [Int32] = []
        var events = [epoll_event](repeating: epoll_event(), count: eventsMax)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferBytes, alignment: 16)
        while true {
            let count = epoll_wait(epoll, &events, Int32(eventsMax), -1)
            for index in 0..<max(0, Int(count)) {
                let descriptor = events[index].data.fd
                if descriptor == listener {
                    let accepted = campanile_accept4(listener, nil, nil, Int32(SOCK_NONBLOCK.rawValue))
                    guard accepted >= 0, accepted < descriptorsMax else { continue }
                    LoadSocket.setNoDelay(accepted)
                    kinds[Int(accepted)] = 0
                    watch(accepted, epoll)
                    continue
                }
                let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                guard received > 0 else {
                    if received == 0 || errno != EAGAIN {
                        subscribers.removeAll { $0 == descriptor }
                        close(descriptor)
                    }
                    continue
                }
                switch kinds[Int(descriptor)] {
                case 0:
                    kinds[Int(descriptor)] = buffer[0]
                    if buffer[0] == UInt8(ascii: "s") { subscribers.append(descriptor) }
                    // Bytes directly after the first byte already belong to a message.
                    if buffer[0] == UInt8(ascii: "e"), received > 1 {
                        send(descriptor, buffer.baseAddress! + 1, received - 1, Int32(MSG_NOSIGNAL))
                    }
                case UInt8(ascii: "e"):
                    send(descriptor, buffer.baseAddress, received, Int32(MSG_NOSIGNAL))
                default:
                    for _ in 0..<received / messageBytesIn {
                        for subscriber in subscribers {
                            send(subscriber, buffer.baseAddress, messageBytesOut, Int32(MSG_NOSIGNAL))
                        }
                    }
                }
            }
        }
    }

    private static func watch(_ descriptor: Int32, _ epoll: Int32) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: descriptor))
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }
}
