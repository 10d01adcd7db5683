import CEpoll
import EventLoop
import Foundation
import Glibc

/// The nodes of a loss run: one server, or several that share one PostgreSQL and a NATS server.
///
/// Not thread-safe: used by the scenario that started it.
final class LossNodes {
    /// Maximum time until NATS listens.
    private static let natsStartSecondsMax = 10.0

    /// The server that runs PostgreSQL. With several nodes it serves no clients, so killing a node does not affect it.
    let database: MeasuredServer
    let servers: [MeasuredServer]
    private(set) var nats: RunningProgram?
    private let natsPort: UInt16
    private let natsHost: String
    /// One link for each node, over which it reaches NATS.
    let links: [any LossLink]
    /// The disk of the database, if it is to be filled.
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
        // A node in a network of its own reaches this one by the addresses of its links.
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

    /// The address on which a node listens.
    func host(of index: Int) -> String { links.isEmpty ? "127.0.0.1" : links[index].host }

    private static func startNATS(_ host: String, _ port: UInt16) throws -> RunningProgram {
        let command = ["/usr/sbin/nats-server", "-a", host, "-p", "\(port)"]
        guard let nats = try? RunningProgram(command, inheritsEnvironment: true) else {
            throw BenchError(description: "nats-server cannot be started: apt-get install nats-server")
        }
        let deadline = Date.now + natsStartSecondsMax
        while Date.now < deadline {
            if let descriptor = LossRelay.connected(to: port) {
                close(descriptor)
                return nats
            }
            usleep(10_000)
        }
        killNATS(nats)
        throw BenchError(description: "nats-server did not listen within \(Int(natsStartSecondsMax)) s")
    }

    private static func killNATS(_ nats: RunningProgram?) {
        nats?.signal(SIGKILL)
        nats?.wait()
    }

    /// Kills NATS with SIGKILL and starts a new one on the same port.
    func restartNATS() throws {
        Self.killNATS(nats)
        nats = try Self.startNATS(natsHost, natsPort)
    }

    func stop() {
        if servers.count > 1 { for server in servers { server.stop() } }
        Self.killNATS(nats)
        for link in links { link.stop() }
        database.stop()
        disk?.stop()
    }
}

/// The network between a node, NATS and the node's clients.
protocol LossLink: AnyObject, Sendable {
    /// Address and port of NATS, as seen from the node.
    var natsAddress: String { get }
    /// Address of the node, as seen from clients.
    var host: String { get }
    /// The command that starts the node.
    var launcher: [String] { get }
    /// Cuts or restores the network between the node and NATS.
    func setCut(_ isCut: Bool)
    func stop()
}
