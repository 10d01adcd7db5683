import CEpoll
import Foundation
import Glibc

/// The nodes of a loss run: one server, or several over one PostgreSQL with a NATS of their own between them.
///
/// Not thread-safe: used by the scenario that started it.
final class LossNodes {
    /// NATS may take so long to listen.
    private static let natsStartSecondsMax = 10.0

    /// Who runs PostgreSQL; of several nodes it serves nobody else, so that a kill of a node spares it.
    let database: MeasuredServer
    let servers: [MeasuredServer]
    private(set) var nats: Process?
    private let natsPort: UInt16
    private let natsHost: String
    /// One for each node, by which it reaches NATS.
    let links: [any LossLink]
    /// Where the database is, when it is to be filled.
    let disk: LossDisk?

    /// - Parameters:
    ///   - hasNamespaces: Each node has a network of its own; needs root.
    ///   - hasDisk: The database has a small disk of its own; needs root.
    init(_ options: BenchOptions, count: Int, hasNamespaces: Bool, hasDisk: Bool) throws {
        let common = ["--rate-limit", "off"]
        disk = hasDisk ? try LossDisk() : nil
        do {
            database = try MeasuredServer(options, arguments: common, directory: disk?.path)
        } catch {
            disk?.stop()
            throw error
        }
        guard count > 1 else {
            servers = [database]
            links = []
            (natsHost, natsPort) = ("", 0)
            return
        }
        natsPort = try LossRelay.freePort()
        let cluster = database.directory + "/data/postgres"
        let address = "host=\(cluster)/socket dbname=campanile passfile=\(cluster)/pgpass"
        let owner = ["CAMPANILE_OWNER_DATABASE_URL": "\(address) user=campanile_owner"]
        let port = natsPort
        // In a network of its own a node sees this one's by the addresses of its links.
        natsHost = hasNamespaces ? "0.0.0.0" : "127.0.0.1"
        var links: [any LossLink] = []
        do {
            for index in 1...count {
                links.append(
                    hasNamespaces ? try LossNamespace(index, natsPort: port) : try LossRelay(to: port))
            }
            self.links = links
            let process = try Self.startNATS(natsHost, port)
            nats = process
            servers = try links.enumerated().map { index, link in
                try MeasuredServer(
                    options,
                    arguments: common + [
                        "--database-url", "\(address) user=campanile", "--nats",
                        "nats://\(link.natsAddress)", "--nats-open", "--node", "node-\(index + 1)", "--host", link.host,
                    ], environment: owner, launcher: link.launcher)
            }
        } catch {
            for link in links { link.stop() }
            database.stop()
            disk?.stop()
            throw error
        }
    }

    /// Where a node listens.
    func host(of index: Int) -> String { links.isEmpty ? "127.0.0.1" : links[index].host }

    private static func startNATS(_ host: String, _ port: UInt16) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/nats-server")
        process.arguments = ["-a", host, "-p", "\(port)"]
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw BenchError(description: "nats-server cannot be started: apt-get install nats-server")
        }
        let deadline = Date.now + natsStartSecondsMax
        while Date.now < deadline {
            if let descriptor = LossRelay.connected(to: port) {
                close(descriptor)
                return process
            }
            usleep(10_000)
        }
        process.terminate()
        throw BenchError(description: "nats-server did not listen within \(Int(natsStartSecondsMax)) s")
    }

    /// kill -9, and a new one on the same port.
    func restartNATS() throws {
        if let nats { kill(nats.processIdentifier, SIGKILL) }
        nats?.waitUntilExit()
        nats = try Self.startNATS(natsHost, natsPort)
    }

    func stop() {
        if servers.count > 1 { for server in servers { server.stop() } }
        if let nats { kill(nats.processIdentifier, SIGKILL) }
        nats?.waitUntilExit()
        for link in links { link.stop() }
        database.stop()
        disk?.stop()
    }
}

/// How a node reaches NATS, and its clients the node.
protocol LossLink: AnyObject, Sendable {
    /// Where the node finds NATS: address and port.
    var natsAddress: String { get }
    /// Where clients find the node.
    var host: String { get }
    /// The command that starts the node.
    var launcher: [String] { get }
    /// From now on nothing comes through between the node and NATS, or everything again.
    func setCut(_ isCut: Bool)
    func stop()
}
