import Campus
import Hub
import HubCore

extension Topic {
    /// One of each kind.
    static let examples: [Topic] =
        [
            .zonePositions(1), .session(1), .notices, .campusNotices, .zoneNotices(1), .chat(1), .user(1), .heatmap,
            .share(1), .test(1),
        ] + [Cell(zoom: 16, x: 1, y: 1)].compactMap(\.self).flatMap { [.cellPositions($0), .people($0)] }

    /// Its form in the articles. A new kind of topic does not compile until it is here; put one into ``examples`` as well.
    var form: String {
        switch self {
        case .zonePositions: "zone/<id>/positions"
        case .cellPositions: "cell/<zoom>/<x>/<y>"
        case .session: "session/<id>"
        case .notices: "notices"
        case .campusNotices: "campus/notices"
        case .zoneNotices: "zone/<id>/notices"
        case .chat: "chat/<id>"
        case .user: "user/<id>"
        case .heatmap: "heatmap"
        case .share: "share/<id>"
        case .people: "people/<x>/<y>"
        case .test: "test/<n>"
        }
    }
}
