import EventLoop
import Hub
import HubCore
import Postgres
import Wire

/// The location of a person, for what leads there.
extension Sharing {
    /// Highest number of shares of one owner that are tried; an account has at most ``workingMax``.
    private static let exactSQL = """
        SELECT s.id FROM \(ShareTable.tables)
        WHERE s.account_id = $3 AND s.account_id <> $1 AND s.precision = 'exact' AND \(ShareTable.isThere)
            AND share_visible(s, $1, NULL)
        ORDER BY s.id LIMIT \(Sharing.workingMax)
        """

    /// The location that an account shares exactly with the caller at the moment. The caller views the share for a moment, with all its
    /// rules: the owner's access log has an entry, and blocks, private zones and ends hold as for every viewer.
    /// - Returns: Nil without such a share, or without a location.
    /// - Throws: ``Postgres/PostgresError``.
    public func exactLocation(of owner: Int64, for identity: Identity) async throws -> SharedLocation? {
        let rows = try await database.query(
            Self.exactSQL, [.int(identity.account.id), .timestamp(now().milliseconds), .int(owner)])
        for row in rows {
            let viewer = MomentaryViewer(loop: loop)
            let seen = Seen()
            do {
                try await watch(viewer, try row.int("id"), identity: identity, token: nil) { snapshot in
                    seen.snapshot = snapshot
                    return []
                }
            } catch is RPCError {
                continue
            }
            await hub.disconnect(viewer)
            if let snapshot = seen.snapshot, snapshot.share.precision == .exact, let location = snapshot.location,
                location.lat != nil
            {
                return location
            }
        }
        return nil
    }

    /// The snapshot that a reply was made of. Used on the hub's loop alone.
    private final class Seen: @unchecked Sendable {
        var snapshot: ShareSnapshot?
    }
}

/// A viewer without a connection, which reads one snapshot.
private final class MomentaryViewer: Subscriber {
    let subscriberID: UInt64
    let subscriberLoop: EventLoop

    init(loop: EventLoop) {
        subscriberLoop = loop
        // The numbers of connections count up from 1.
        subscriberID = UInt64.random(in: 1 << 63 ... .max)
    }

    func deliver(_ delivery: Delivery) {}
}
