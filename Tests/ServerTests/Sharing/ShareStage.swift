import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

/// Somebody who shares, and what others get of it.
struct ShareStage: Sendable {
    /// Nobody else's position holds these digits.
    static let secret = "41.7365"

    let server: TestServer
    let owner: ChatPerson

    init(_ server: TestServer) async throws {
        self.server = server
        owner = try await ChatPerson(server)
    }

    func report(_ step: Int = 0) async throws {
        _ = try await owner.client.call(
            LocationReport.self,
            .init(lat: 41.7365, lon: 12.25 + Double(step) * 0.001, accuracy: 5, source: .gps))
    }

    /// - Parameter isAccepted: The other accepts it if it is an invitation.
    func start(
        _ audience: ShareAudience, with person: ChatPerson? = nil, group: Int64? = nil,
        precision: Wire.Precision = .exact, seconds: Double = 600, session: Int64? = nil,
        isAccepted: Bool = true
    ) async throws -> SharingStart.Result {
        let begun = try await owner.client.call(
            SharingStart.self,
            .init(
                clientId: UUID().uuidString, audience: audience, username: person?.username, group: group,
                precision: precision, expiresIn: seconds, session: session))
        if isAccepted, let person {
            _ = try await person.client.ask("sharing.respond", #"{"share":\#(begun.share.id),"accept":true}"#)
        }
        return begun
    }

    /// Makes them no strangers of the owner: buddies.
    func acquaint(_ people: ChatPerson...) async throws { try await owner.acquaint(with: people.map(\.id), server) }

    func stop(_ share: Int64) async throws -> SharingReceipt {
        try await owner.client.call(SharingStop.self, ShareParams(share: share))
    }
}

extension ChatPerson {
    /// Makes buddies of this person and these accounts.
    func acquaint(with accounts: [Int64], _ server: TestServer) async throws {
        let database = try await server.database()
        defer { database.close() }
        for account in accounts {
            _ = try await database.query(
                """
                WITH chat AS (
                    INSERT INTO conversations (kind, low_id, high_id, created_at)
                    VALUES ('direct', least($1::bigint, $2), greatest($1::bigint, $2), now()) RETURNING id, low_id, high_id)
                INSERT INTO buddies (low_id, high_id, conversation_id, matched_at) SELECT low_id, high_id, id, now() FROM chat
                """, [.int(id), .int(account)])
        }
    }

    /// Makes a group of this person's with these accounts.
    @discardableResult
    func group(with accounts: [Int64], _ server: TestServer) async throws -> Int64 {
        let group = try await makeGroup("Acquaintances", with: [])
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            """
            INSERT INTO members (conversation_id, account_id, role, state, since)
            SELECT $1, id, 'member', 'joined', now() FROM unnest($2::bigint[]) AS id
            """, [.int(group), .intArray(accounts)])
        return group
    }
}

extension ShareStage {
    /// Somebody asks where the owner is, and the owner answers exactly.
    func answer(_ asker: ChatPerson) async throws -> SharingAnswer.Result {
        let asked = try await asker.client.call(
            SharingAsk.self, .init(clientId: UUID().uuidString, username: owner.username))
        return try await owner.client.call(SharingAnswer.self, .init(request: asked.request.id, precision: .exact))
    }
}

extension ChatClient {
    /// - Returns: What was answered.
    @discardableResult
    func watch(share: Int64, token: String? = nil) async throws -> String {
        let link = token.map { ",\"share\":\"\($0)\"" } ?? ""
        return try await ask("subscribe", "{\"topic\":\"share/\(share)\"\(link)}")
    }

    /// What the export of an account has of one kind, as JSON.
    static func export(_ kind: String, of token: String, from server: TestServer) async throws -> String {
        let file = try await server.personalData("/account/data.json", of: token).body
        let kinds = (try JSONSerialization.jsonObject(with: Data(file)) as? [String: Any])?["kinds"] as? [String: Any]
        let data = try JSONSerialization.data(withJSONObject: kinds?[kind] ?? [], options: [.sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    /// Pushes of a share, in order.
    func updates(of share: Int64) -> [ShareUpdate] {
        frames.compactMap { try? WireJSON.decode(Push<ShareUpdate>.self, from: Array($0.utf8)).params }
            .filter { $0.topic == "share/\(share)" }.map(\.data)
    }

    func isClosed(_ share: Int64) -> Bool { updates(of: share).last?.type == .closed }

    /// A snapshot or a push told where somebody is.
    var hasLocation: Bool { frames.contains { $0.contains(ShareStage.secret) } }

    func waitUntilLive(_ share: Int64) async throws {
        _ = try await eventually("a location comes") { self.hasLocation ? true : nil }
    }

    func waitUntilClosed(_ share: Int64) async throws {
        _ = try await eventually("it is closed") { self.isClosed(share) ? true : nil }
    }
}
