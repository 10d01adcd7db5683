import Wire

/// Zones that are no more.
extension Hub {
    /// Ends what belongs to zones that are not among these: whoever was in one has left it, which is told first; then its viewers hear
    /// that it is closed, and their subscriptions end. O(areas that are looked at, and topics that are read).
    public func endZones(except zones: Set<Int64>) {
        var gone: [Topic] = pictures.watched.compactMap { area in
            if case .zone(let id) = area, !zones.contains(id) { .zonePositions(id) } else { nil }
        }
        for case .zoneNotices(let id) in logs.logs.keys where !zones.contains(id) { gone.append(.zoneNotices(id)) }
        guard !gone.isEmpty else { return }
        tick()
        for topic in gone {
            let closed = Self.json(topic, TopicClosed(reason: "the zone is no more"))
            for subscriber in subscribers(of: topic) {
                unsubscribe(subscriber, topic: topic)
                send(closed, topic: topic, to: subscriber)
            }
        }
    }

    private func subscribers(of topic: Topic) -> [any Subscriber] {
        let sets = topic.area.map { pictures.viewers(of: $0) } ?? [logs[topic]?.subscribers].compactMap(\.self)
        return sets.flatMap { $0.groups.values.flatMap { $0.members.map(\.subscriber) } }
    }
}

extension Pictures {
    /// Who looks at an area, by picture.
    func viewers(of area: Area) -> [SubscriberSet] {
        guard let place = places[area] else { return [] }
        return (Array(place.pictures.values) + Array(place.own.values)).map(\.viewers)
    }
}
