import Wire

/// Removal of zones.
extension Hub {
    /// Ends the topics of all zones that are not among these. First a tick publishes that the runners have left; then the subscribers
    /// get `closed`, and their subscriptions end. O(viewed areas, and topics in memory).
    public func endZones(except zones: Set<Int64>) {
        var gone: [Topic] = areaFeeds.watched.compactMap { area in
            if case .zone(let id) = area, !zones.contains(id) { .zonePositions(id) } else { nil }
        }
        for case .zoneNotices(let id) in logs.logs.keys where !zones.contains(id) { gone.append(.zoneNotices(id)) }
        guard !gone.isEmpty else { return }
        tick()
        for topic in gone {
            let closed = Self.json(topic, TopicClosed(reason: "the zone was removed"))
            for subscriber in subscribers(of: topic) {
                unsubscribe(subscriber, topic: topic)
                send(closed, topic: topic, to: subscriber)
            }
        }
    }

    private func subscribers(of topic: Topic) -> [any Subscriber] {
        let sets = topic.area.map { areaFeeds.viewers(of: $0) } ?? [logs[topic]?.subscribers].compactMap(\.self)
        return sets.flatMap { $0.groups.values.flatMap { $0.members.map(\.subscriber) } }
    }
}

extension AreaFeeds {
    /// Viewers of an area, by rendition.
    func viewers(of area: Area) -> [SubscriberSet] {
        guard let place = feeds[area] else { return [] }
        return (Array(place.commonRenditions.values) + Array(place.own.values)).map(\.viewers)
    }
}
