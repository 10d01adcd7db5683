import EventLoop
import Foundation
import TestSupport
import Testing

@testable import Postgres

/// A program that reaches the private cluster's socket, and no file, tries to become somebody.
@Suite("Attacks on the private cluster", .serialized)
struct ClusterAttackTests {
    private let loop = TestDatabase.shared.loop

    /// Nil when it is let in.
    private func refusal(_ access: PrivateCluster.Access, _ role: String, password: String?) async -> String? {
        let configuration = PostgresConfiguration(
            socketDirectory: access.owner.host ?? "", user: role, database: "postgres", password: password)
        do {
            try await PostgresConnection.connect(configuration: configuration, loop: loop).close()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func expectClosed(_ access: PrivateCluster.Access) async {
        for role in ["postgres", "campanile_owner", "campanile"] {
            for password in [nil, "", "postgres", role] {
                #expect(await refusal(access, role, password: password) != nil, "\(role), \(password ?? "none")")
            }
        }
        for configuration in [access.administrator, access.owner, access.application] {
            #expect((try? await PostgresConnection.connect(configuration: configuration, loop: loop))?.close() != nil)
        }
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("No role is let in without its password, which only the cluster's user can read")
    func passwords() async throws {
        let directory = try TestDirectory.make("asks") + "/above/data"
        let cluster = PrivateCluster.test(directory)
        let access = try await cluster.start()
        await expectClosed(access)
        #expect(access.passwordFile == "\(directory)/postgres/pgpass")
        #expect(mode(access.passwordFile) == 0o600)
        #expect(mode("\(directory)/postgres") == 0o700)
        // Root's may be passed through, as PostgreSQL has a user of its own. The directories above it are anybody's.
        #expect(mode(directory) == (geteuid() == 0 ? 0o711 : 0o700))
        let text = try String(contentsOfFile: access.passwordFile, encoding: .utf8)
        #expect(text.split(separator: "\n").count == 3)
        // Neither the password nor a copy of it is anywhere else.
        let log = try String(contentsOfFile: "\(directory)/postgres/postgres.log", encoding: .utf8)
        for line in text.split(separator: "\n") {
            let password = try #require(line.split(separator: ":").last)
            #expect(password.utf8.count == 64 && !log.contains(password))
        }
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/postgres/initdb.password"))
        // A command beside the running server reads the same file.
        let joined = try await PrivateCluster.test(directory).join()
        try await PostgresConnection.connect(configuration: joined.owner, loop: loop).close()
        await cluster.stop(immediately: true)
    }

    @Test(
        "A cluster that trusted whoever reached its socket asks for passwords from the next start on, also when adopted"
    )
    func trusting() async throws {
        let directory = try TestDirectory.make("trusting")
        let rules = "\(directory)/postgres/data/pg_hba.conf"
        var cluster: PrivateCluster? = PrivateCluster.test(directory)
        var access = try #require(try await cluster?.start())
        for isAdopted in [false, true] {
            // As an earlier release left it.
            let text = try String(contentsOfFile: rules, encoding: .utf8)
            try text.replacingOccurrences(of: "scram-sha-256", with: "trust").write(
                toFile: rules, atomically: false, encoding: .utf8)
            let administrator = try await PostgresConnection.connect(configuration: access.administrator, loop: loop)
            _ = try await administrator.query("SELECT pg_reload_conf()")
            administrator.close()
            _ = try await eventually("the cluster trusts") {
                await refusal(access, "postgres", password: nil) == nil ? true : nil
            }
            try FileManager.default.removeItem(atPath: access.passwordFile)
            if isAdopted { await cluster?.leave() } else { await cluster?.stop() }
            cluster = PrivateCluster.test(directory)
            access = try #require(try await cluster?.start())
            _ = try await eventually("passwords are asked for") {
                await refusal(access, "postgres", password: nil) == nil ? nil : true
            }
            await expectClosed(access)
            #expect(mode(rules) == 0o600)
        }
        await cluster?.stop(immediately: true)
    }

    @Test("Without its passwords a cluster is not started, and the message says what to do")
    func lost() async throws {
        let directory = try TestDirectory.make("lost")
        let cluster = PrivateCluster.test(directory)
        let access = try await cluster.start()
        await cluster.stop()
        try FileManager.default.removeItem(atPath: access.passwordFile)
        let error = await #expect(throws: ClusterError.self) { _ = try await PrivateCluster.test(directory).start() }
        #expect(
            error?.description.contains("restore it from a backup, or replace scram-sha-256 with trust") == true,
            "\(error?.description ?? "it started")")
    }
}
