extension GPSFilter {
    /// Judges the next point of the session. Points come in the order of their sequence numbers, each once.
    ///
    /// Constant time, no allocation. ``distanceMetres`` and ``movingSeconds`` include the point afterwards.
    public mutating func accept(_ fix: Fix) -> Verdict {
        let verdict = judge(fix)
        if case .counted(let metres, let seconds) = verdict {
            distanceMetres += metres
            movingSeconds += seconds
        }
        return verdict
    }

    private mutating func judge(_ fix: Fix) -> Verdict {
        let here = Anchor(point: fix.point, timeMilliseconds: fix.timeMilliseconds)
        if let last = lastTimeMilliseconds {
            if here.timeMilliseconds == last { return .notCounted(.duplicateTime) }
            if here.timeMilliseconds < last { return .notCounted(.backwardTime) }
        }
        // A paused or imprecise point leaves the clock alone: what follows is measured from the last point that held.
        if isPaused { return .notCounted(.paused) }
        if let accuracy = fix.accuracyMetres, !(accuracy <= Self.accuracyMetresMax) {
            return .notCounted(.poorAccuracy)
        }
        let previous = lastTimeMilliseconds
        lastTimeMilliseconds = here.timeMilliseconds
        guard let anchor, let previous else {
            resumePending = false
            restart(at: here)
            return .notCounted(.first)
        }
        if resumePending {
            resumePending = false
            restart(at: here)
            return .notCounted(.resumed)
        }
        if here.timeMilliseconds - previous > Self.gapMillisecondsMax {
            restart(at: here)
            return .notCounted(.gap)
        }
        if let reason = distrust(here, from: anchor) { return .notCounted(reason) }
        self.anchor = here
        return step(to: here, from: anchor, accuracyMetres: fix.accuracyMetres)
    }

    /// Goes on from a new place, taken to be at rest until the runner leaves it.
    private mutating func restart(at here: Anchor) {
        anchor = here
        trust = .trusted
        motion = .standing(Rest(origin: here, centre: here.point, points: 1))
    }

    // MARK: Speed

    /// How far beyond the sustainable speed the hop is, in metres; negative or zero for a plausible one.
    private func excess(from: Anchor, to: Anchor) -> (metres: Double, distance: Double, seconds: Double) {
        let distance = from.point.distance(to: to.point)
        let seconds = Double(to.timeMilliseconds - from.timeMilliseconds) / 1_000
        return (distance - activity.sustainableMetresPerSecond * seconds, distance, seconds)
    }

    /// Spends the budget of excess speed; says why the point is not believed, or nil when it is.
    private mutating func distrust(_ here: Anchor, from anchor: Anchor) -> Reason? {
        let hop = excess(from: anchor, to: here)
        switch trust {
        case .riding(let slowMilliseconds, let slowPoints):
            return ride(to: here, from: anchor, excess: hop.metres, slowMilliseconds, slowPoints)
        case .doubted(let candidate, let consistent):
            // Back where the anchor is: the doubted points were stray.
            guard hop.metres > 0 else { break }
            return doubt(here, candidate: candidate, consistent: consistent)
        case .trusted:
            break
        }
        if hop.metres <= 0 {
            trust = .trusted
            let refill = min(-hop.metres, Self.excessRefillMetresPerSecond * hop.seconds)
            excessMetresLeft = min(activity.excessMetresMax, excessMetresLeft + refill)
            return nil
        }
        if hop.metres <= excessMetresLeft {
            excessMetresLeft -= hop.metres
            return nil
        }
        trust = .doubted(candidate: here, consistent: 1)
        return isTeleport(hop.distance, hop.seconds) ? .teleport : .tooFast
    }

    private func isTeleport(_ distance: Double, _ seconds: Double) -> Bool {
        distance >= Self.teleportMetresMin && distance > Self.vehicleMetresPerSecondMax * seconds
    }

    /// The point does not follow on the anchor; whether it follows on the doubted points tells what happened.
    private mutating func doubt(_ here: Anchor, candidate: Anchor, consistent: Int) -> Reason {
        let hop = excess(from: candidate, to: here)
        if hop.metres <= 0 {
            if consistent + 1 >= Self.confirmingPointsMin {
                restart(at: here)
            } else {
                trust = .doubted(candidate: here, consistent: consistent + 1)
            }
            return .reanchored
        }
        if hop.distance <= Self.vehicleMetresPerSecondMax * hop.seconds {
            trust = .riding(slowMilliseconds: 0, slowPoints: 0)
            anchor = here
            return .vehicle
        }
        trust = .doubted(candidate: here, consistent: 1)
        return isTeleport(hop.distance, hop.seconds) ? .teleport : .tooFast
    }

    /// Follows a ride until the hops have been plausible for a while; the budget starts empty afterwards, so the next
    /// stretch of the same ride (after a red light) is recognised at once.
    private mutating func ride(
        to here: Anchor, from anchor: Anchor, excess: Double, _ slowMilliseconds: Int64, _ slowPoints: Int
    ) -> Reason {
        self.anchor = here
        guard excess <= 0 else {
            trust = .riding(slowMilliseconds: 0, slowPoints: 0)
            return .vehicle
        }
        let milliseconds = slowMilliseconds + here.timeMilliseconds - anchor.timeMilliseconds
        if milliseconds >= Self.vehicleEndMilliseconds, slowPoints + 1 >= Self.confirmingPointsMin {
            restart(at: here)
            excessMetresLeft = 0
        } else {
            trust = .riding(slowMilliseconds: milliseconds, slowPoints: slowPoints + 1)
        }
        return .vehicle
    }

    // MARK: Standing

    /// A believed step: counted hop by hop on the move; at rest, nothing until the runner has left the circle of noise,
    /// then the straight line from its centre.
    private mutating func step(to here: Anchor, from anchor: Anchor, accuracyMetres: Double?) -> Verdict {
        let seconds = Double(here.timeMilliseconds - anchor.timeMilliseconds) / 1_000
        switch motion {
        case .moving(let block, let before):
            motion = moved(here, block: block, before: before)
            return .counted(distanceMetres: anchor.point.distance(to: here.point), movingSeconds: seconds)
        case .standing(let rest):
            return left(rest, here, from: anchor, accuracyMetres: accuracyMetres)
        }
    }

    private mutating func left(
        _ rest: Rest, _ here: Anchor, from anchor: Anchor, accuracyMetres: Double?
    ) -> Verdict {
        var rest = rest
        let radius = min(Self.standingRadiusMetresMax, max(Self.standingRadiusMetresMin, accuracyMetres ?? 0))
        guard rest.centre.distance(to: here.point) > radius else {
            rest.points = min(rest.points + 1, Self.standingMeanPointsMax)
            rest.centre = rest.centre.moved(toward: here.point, fraction: 1 / Double(rest.points))
            rest.outside = 0
            motion = .standing(rest)
            return .notCounted(.drift)
        }
        // One stray point is noise; three, or two that are three seconds apart, are a start. The anchor is the point
        // before this one: the last one inside at first, then the first one outside.
        if rest.outside == 0 { rest.outsideSince = anchor.timeMilliseconds }
        let apart = here.timeMilliseconds - anchor.timeMilliseconds
        guard rest.outside >= 2 || (rest.outside == 1 && apart >= Self.startMillisecondsMin) else {
            rest.outside += 1
            motion = .standing(rest)
            return .notCounted(.drift)
        }
        motion = .moving(
            block: Block(startMilliseconds: here.timeMilliseconds, mean: here.point, points: 1), before: nil)
        // The mean of a rest that hardly was one has been dragged along by the start itself: measure from its origin.
        let isShort = rest.outsideSince - rest.origin.timeMilliseconds < Self.shortRestMilliseconds
        let start = isShort ? rest.origin.timeMilliseconds : rest.outsideSince
        return .counted(
            distanceMetres: (isShort ? rest.origin.point : rest.centre).distance(to: here.point),
            movingSeconds: Double(here.timeMilliseconds - start) / 1_000)
    }

    /// Averages positions over blocks; two neighbouring blocks whose means hardly differ are a phone at rest.
    private func moved(_ here: Anchor, block: Block?, before: Block?) -> Motion {
        let fresh = Block(startMilliseconds: here.timeMilliseconds, mean: here.point, points: 1)
        guard var block else { return .moving(block: fresh, before: before) }
        guard here.timeMilliseconds - block.startMilliseconds >= Self.blockMilliseconds else {
            block.points += 1
            block.mean = block.mean.moved(toward: here.point, fraction: 1 / Double(block.points))
            return .moving(block: block, before: before)
        }
        if let before {
            // The mean of n points wanders by one part in √n of what a single one does.
            let radius = Self.standingRadiusMetresMin / Double(min(block.points, before.points)).squareRoot()
            if before.mean.distance(to: block.mean) < radius {
                // From here on, not from the blocks: the way and the time up to here were counted already.
                return .standing(Rest(origin: here, centre: here.point, points: 1))
            }
        }
        return .moving(block: fresh, before: block)
    }
}
