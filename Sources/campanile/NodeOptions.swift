import ArgumentParser
import Bus
import CommandSupport
import Foundation
import Server

/// Options for the other servers of the campus, of `serve` and `doctor`.
struct NodeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "NATS servers that connect the servers of one campus, such as nats://host:4222 or tls://host:4222 (CAMPANILE_NATS).",
            discussion: """
                For several servers over one PostgreSQL; a single server needs none. More servers of one NATS cluster follow after commas.
                Passwords and tokens belong into CAMPANILE_NATS or a file: everybody on this machine sees this option.
                """, valueName: "url"))
    var nats: String?

    @Option(
        help: ArgumentHelp("This server's name among them (CAMPANILE_NODE). Default: the machine's", valueName: "name"))
    var node: String?

    @Option(
        help: ArgumentHelp(
            "A file with the user's JWT and key for NATS, as nsc makes it (CAMPANILE_NATS_CREDENTIALS).",
            valueName: "file"))
    var natsCredentials: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the authorities of NATS's certificate (CAMPANILE_NATS_AUTHORITY). Default: the system's",
            valueName: "file"))
    var natsAuthority: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with this server's certificate for NATS (CAMPANILE_NATS_CERTIFICATE).", valueName: "file"))
    var natsCertificate: String?

    @Option(help: ArgumentHelp("PEM file with its key (CAMPANILE_NATS_KEY).", valueName: "file"))
    var natsKey: String?

    @Flag(
        help: ArgumentHelp(
            "Permit a NATS server on another machine without authentication (CAMPANILE_NATS_OPEN=1).",
            discussion: "Messages are still encrypted, but everybody can see their number and subjects."))
    var natsOpen = false

    func apply(to configuration: inout ServerConfiguration) throws {
        try apply(to: &configuration, DataOptions.environment)
    }

    func apply(to configuration: inout ServerConfiguration, _ environment: [String: String]) throws {
        guard let text = nats ?? environment["CAMPANILE_NATS"] else {
            guard node == nil, natsCredentials == nil, natsAuthority == nil, natsCertificate == nil, natsKey == nil,
                !natsOpen
            else {
                throw CommandFailure(.usage, "--node and --nats-… need --nats: a server alone needs none of them")
            }
            return
        }
        let address: NATSConfiguration
        do {
            address = try NATSConfiguration(text)
        } catch {
            throw CommandFailure(.usage, "\(nats == nil ? "CAMPANILE_NATS" : "--nats"): \(error.description)")
        }
        guard nats == nil || address.credentials == .none else {
            throw CommandFailure(
                .usage,
                "--nats must not have a password or token, which everybody on this machine would see: set CAMPANILE_NATS "
                    + "instead, or use --nats-credentials FILE")
        }
        // A private PostgreSQL belongs to one server, so that no other node could join.
        guard configuration.databaseURL != nil else {
            throw CommandFailure(
                .usage, "--nats joins servers over one PostgreSQL: say which with --database-url or DATABASE_URL")
        }
        var nodes = NodesConfiguration(
            nats: address, name: node ?? environment["CAMPANILE_NODE"] ?? NodesConfiguration.defaultName)
        do {
            _ = try BusNode(name: nodes.name)
        } catch {
            throw CommandFailure(.usage, "--node: \(error.description)")
        }
        nodes.nats.credentialsFile = try file(natsCredentials, "CAMPANILE_NATS_CREDENTIALS", environment)
        nodes.nats.authorityFile = try file(natsAuthority, "CAMPANILE_NATS_AUTHORITY", environment)
        nodes.nats.certificateFile = try file(natsCertificate, "CAMPANILE_NATS_CERTIFICATE", environment)
        nodes.nats.keyFile = try file(natsKey, "CAMPANILE_NATS_KEY", environment)
        guard (nodes.nats.certificateFile == nil) == (nodes.nats.keyFile == nil) else {
            throw CommandFailure(.usage, "NATS needs both --nats-certificate and --nats-key, or neither")
        }
        guard nodes.nats.isCredentialedOrLocal || natsOpen || environment["CAMPANILE_NATS_OPEN"] == "1" else {
            throw CommandFailure(
                .usage,
                "NATS at \(address) is beyond this machine and lets everybody in: set CAMPANILE_NATS to "
                    + "nats://user:password@host:4222 or use --nats-credentials FILE, or allow it with --nats-open")
        }
        configuration.nodes = nodes
    }

    private func file(_ option: String?, _ name: String, _ environment: [String: String]) throws -> String? {
        guard let path = option ?? environment[name] else { return nil }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw CommandFailure(.usage, "\(path) cannot be read; it is given by \(option == nil ? name : "an option")")
        }
        return path
    }
}
