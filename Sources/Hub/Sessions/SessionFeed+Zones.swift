import HubCore
import Wire

/// Removal of zones.
extension SessionFeed {
    /// Zones with viewers. O(areas).
    var viewedZones: [Int64] {
        areaFeeds.watched.compactMap { if case .zone(let id) = $0 { id } else { nil } }
    }

    /// Viewers of an area, in any rendition.
    func viewers(of area: Area) -> [any Subscriber] { areaFeeds.viewers(of: area).flatMap(\.subscribers) }
}

extension AreaFeeds {
    /// Viewers of an area, by rendition.
    func viewers(of area: Area) -> [SubscriberSet] {
        guard let feed = feeds[area] else { return [] }
        return (Array(feed.commonRenditions.values) + Array(feed.privateRenditions.values)).map(\.viewers)
    }
}
