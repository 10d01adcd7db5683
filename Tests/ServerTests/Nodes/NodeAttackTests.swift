import Foundation
import TestSupport
import Testing
import Wire

@testable import Bus
@testable import Hub
@testable import Server

/// Whoever reaches the campus's NATS tries what a node may.
@Suite("Attacks on nodes")
struct NodeAttackTests {
    @Test("A forged revocation closes nobody's socket, and nothing that passes can be read")
    func revocation() async throws {
        let nodes = try await TwoNodes.start()
        let attacker = try await RawNATS(port: nodes.nats.port)
        let (connection, account) = try await nodes.first.register()
        let sight = try await Sight(nodes.first, token: account.token)
        try await sight.ask("account.me")
        let control = try await eventually("nodes talk") {
            attacker.messages.first { $0.subject.hasSuffix(".nodes.control") || $0.subject.hasSuffix(".$bus.beat") }
        }
        let prefix = control.subject.split(separator: ".").prefix(2).joined(separator: ".")
        let bus = try #require(await nodes.second.server?.bus)
        for token in Int64(1)...50 {
            let words = NodeMessage.tokens([token], .signedOut).encoded
            for sequence in [UInt64(1), 1 << 40] {
                let frame = BusFrame(
                    kind: .message, isFlagged: true, node: bus.node.id, sequence: sequence, request: nil)
                try await attacker.publish(frame.encoded(words), to: prefix + ".nodes.control")
            }
        }
        for message in attacker.messages {
            #expect(message.payload.withUnsafeBytes { BusFrame.read($0) } == nil)
        }
        // The socket is open, and answers.
        let answer = try await sight.ask("account.me")
        #expect(answer.text.contains("result") && sight.closeCode == nil)
        sight.close()
        await connection.close()
        await nodes.stop()
    }
}
