import EventLoop
import Foundation

/// A network namespace of a node (network_namespaces(7)) with two links to the host: the node reaches NATS over one,
/// and clients reach the node over the other. Cutting the first is like pulling a cable: neither side is notified.
/// PostgreSQL's socket is a file and stays reachable.
///
/// Needs root, and `ip` of iproute2.
final class LossNamespace: LossLink, Sendable {
    private static let program = "/usr/sbin/ip"

    let natsAddress: String
    let host: String
    var launcher: [String] { [Self.program, "netns", "exec", name] }
    private let name: String
    private let natsLink: String
    private let clientLink: String

    /// - Parameter index: From 1, below 128.
    /// - Throws: ``BenchError``.
    init(_ index: Int, natsPort: UInt16) throws {
        let run = "\(ProcessInfo.processInfo.processIdentifier)-\(index)"
        name = "campanile-\(run)"
        // Interface names have at most fifteen bytes.
        natsLink = "cn\(run)"
        clientLink = "cc\(run)"
        host = "10.77.\(index).2"
        natsAddress = "10.78.\(index).1:\(natsPort)"
        try Self.ip("netns", "add", name)
        do {
            try connect(natsLink, near: "10.78.\(index).1", far: "10.78.\(index).2")
            try connect(clientLink, near: "10.77.\(index).1", far: host)
            try Self.ip("-n", name, "link", "set", "lo", "up")
        } catch {
            stop()
            throw error
        }
    }

    private func connect(_ link: String, near: String, far: String) throws {
        let inside = "\(link)i"
        try Self.ip("link", "add", link, "type", "veth", "peer", "name", inside, "netns", name)
        try Self.ip("addr", "add", "\(near)/30", "dev", link)
        try Self.ip("-n", name, "addr", "add", "\(far)/30", "dev", inside)
        try Self.ip("link", "set", link, "up")
        try Self.ip("-n", name, "link", "set", inside, "up")
    }

    func setCut(_ isCut: Bool) { try? Self.ip("link", "set", natsLink, isCut ? "down" : "up") }

    /// Deletes the namespace; its links are deleted with it.
    func stop() { try? Self.ip("netns", "del", name) }

    private static func ip(_ arguments: String...) throws {
        guard let finished = try? ChildProcess.run([program] + arguments) else {
            throw BenchError(description: "there is no \(program): apt-get install iproute2")
        }
        guard finished.status == 0 else {
            throw BenchError(
                description: "ip \(arguments.joined(separator: " ")) failed: networks of their own need root")
        }
    }
}
