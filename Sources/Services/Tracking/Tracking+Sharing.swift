import Postgres
import Wire

/// Access of others to a session: audience and links.
extension Tracking {
    /// Largest number of valid links of a session.
    static let linksMax = 50
    static let linkSecondsDefault = 86_400.0
    static let linkSecondsRange = 60.0...2_592_000.0

    /// Sets a session's audience. Viewers who lose access are unsubscribed immediately.
    /// - Throws: ``Wire/RPCError``, among them `forbidden` for a provisional account, whose sessions stay private.
    public func setAudience(_ identity: Identity, _ params: TrackingAudience.Params) async throws -> SessionReply {
        if params.audience != .private { try identity.requireConfirmedAddress() }
        return try await withLock(params.session, for: identity) {
            var record = try await self.record(params.session, ownedBy: identity)
            guard record.session.audience != params.audience else {
                try await checkOwnership(of: record)
                await hub.sessions.changeAudience(ofEnding: params.session, to: params.audience)
                return SessionReply(session: record.session)
            }
            do {
                // Checks the fencing token: another server that continues the session must not show it with the previous audience.
                try await writeGuarded(
                    record,
                    [
                        PostgresStatement(
                            "UPDATE sessions SET audience = $2 WHERE id = $1",
                            [.int(params.session), .text(params.audience.rawValue)])
                    ])
            } catch {
                records[params.session] = nil
                throw error
            }
            record.session.audience = params.audience
            if record.session.state != .finished {
                records[params.session] = record
                await hub.sessions.changeAudience(views(of: record).0)
            } else {
                await hub.sessions.changeAudience(ofEnding: params.session, to: params.audience)
            }
            return SessionReply(session: record.session)
        }
    }

    /// Creates a link that opens the session to its holder.
    public func makeLink(_ identity: Identity, _ params: TrackingLink.Params) async throws -> TrackingLink.Link {
        let seconds = params.expiresIn ?? Self.linkSecondsDefault
        guard seconds.isFinite, Self.linkSecondsRange.contains(seconds) else {
            throw RPCError.invalid("expiresIn", "must be 60 to 2592000 seconds")
        }
        return try await withLock(params.session, for: identity) {
            try await makeLink(identity, params.session, seconds: seconds)
        }
    }

    private func makeLink(_ identity: Identity, _ session: Int64, seconds: Double) async throws -> TrackingLink.Link {
        _ = try await own(session, identity)
        let count = try await links(of: session).count
        guard count < Self.linksMax else {
            throw RPCError(.conflict, "the session has \(Self.linksMax) links: revoke one first")
        }
        // The token starts with the session's id, from which the page knows which session to request.
        let token = "\(session).\(Secrets.makeToken())"
        let expiresAt = now().advanced(bySeconds: seconds)
        let rows = try await database.transaction { transaction in
            try await identity.requireValidToken(in: transaction)
            return try await transaction.query(
                "INSERT INTO links (session_id, hash, expires_at) VALUES ($1, $2, $3) RETURNING id",
                [.int(session), .bytes(Secrets.hash(token)), .timestamp(expiresAt.milliseconds)])
        }
        guard let row = rows.first else { throw RPCError(.internalError, "the link was not stored") }
        return TrackingLink.Link(id: try row.int("id"), token: token, path: "/s/\(token)", expiresAt: expiresAt)
    }

    /// Returns the session's valid links.
    public func links(_ identity: Identity, _ params: TrackingLinks.Params) async throws -> [TrackingLinks.Link] {
        _ = try await own(params.session, identity)
        return try await links(of: params.session)
    }

    /// Revokes a link and ends the subscriptions made by it.
    public func unlink(_ identity: Identity, _ params: TrackingUnlink.Params) async throws -> Revoked {
        _ = try await own(params.session, identity)
        let rows = try await database.query(
            """
            UPDATE links SET revoked_at = now() WHERE id = $1 AND session_id = $2 AND revoked_at IS NULL RETURNING id
            """, [.int(params.link), .int(params.session)])
        guard rows.first != nil else { throw RPCError(.notFound, "there is no such link", field: "link") }
        await cut([.init(id: params.link, session: params.session)])
        return Revoked(revoked: 1)
    }

    /// Ends the subscriptions made by these revoked links, on all nodes.
    public func cut(_ links: [RevokedGrants.Link]) async {
        guard !links.isEmpty else { return }
        linkRevocations += 1
        for link in links { await hub.sessions.revoke(link: link.id, session: link.session) }
    }

    /// Ends the subscriptions by links that another process revoked, such as `campanile user reset-password`. Checks the links in use on
    /// this node. O(links in use).
    /// - Throws: ``Postgres/PostgresError``.
    public func cutRevokedLinks() async throws {
        let watched = await hub.sessions.watchedLinks
        guard !watched.isEmpty else { return }
        let working = try await working(links: watched.map(\.link))
        await cut(watched.filter { !working.contains($0.link) }.map { .init(id: $0.link, session: $0.session) })
    }

    func link(_ token: String, session: Int64) async throws -> (id: Int64, expiresAt: Timestamp)? {
        let rows = try await database.query(
            """
            SELECT id, expires_at FROM links
            WHERE hash = $1 AND session_id = $2 AND revoked_at IS NULL AND expires_at > $3
            """, [.bytes(Secrets.hash(token)), .int(session), .timestamp(now().milliseconds)])
        guard let row = rows.first else { return nil }
        return (try row.int("id"), Timestamp(milliseconds: try row.timestamp("expires_at")))
    }

    private func own(_ id: Int64, _ identity: Identity) async throws -> SessionRecord {
        guard let record = try await find(id), record.session.owner.id == identity.account.id else {
            throw Self.notYours
        }
        return record
    }

    private func links(of session: Int64) async throws -> [TrackingLinks.Link] {
        let rows = try await database.query(
            """
            SELECT id, created_at, expires_at FROM links
            WHERE session_id = $1 AND revoked_at IS NULL AND expires_at > $2 ORDER BY id DESC
            """, [.int(session), .timestamp(now().milliseconds)])
        return try rows.map {
            TrackingLinks.Link(
                id: try $0.int("id"), createdAt: Timestamp(milliseconds: try $0.timestamp("created_at")),
                expiresAt: Timestamp(milliseconds: try $0.timestamp("expires_at")))
        }
    }
}
