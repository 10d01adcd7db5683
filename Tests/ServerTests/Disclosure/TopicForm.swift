import Campus
import Foundation
import Hub
import HubCore
import Wire

extension Topic {
    /// One of each kind.
    static let examples: [Topic] =
        [
            .zonePositions(1), .session(1), .notices, .campusNotices, .zoneNotices(1), .chat(1), .user(1), .heatmap,
            .share(1), .route(UUID()), .workout(UUID()), .test(1),
        ] + [Cell(zoom: 16, x: 1, y: 1)].compactMap(\.self).flatMap { [.cellPositions($0), .people($0)] }

    /// Its form in the articles.
    var form: String { kind.declaration.pattern }
}
