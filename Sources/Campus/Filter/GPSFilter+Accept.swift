extension GPSFilter {
    /// Judges the next point of the session. Pass points in the order of their sequence numbers, each once.
    ///
    /// Constant time, no allocation. Afterwards ``distanceMetres`` and ``movingSeconds`` include the point.
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
        // A paused or imprecise point does not advance the clock: the next point is measured from the last accepted
        // one.
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

    /// Restarts measuring at a new position, which counts as standing until the runner leaves it.
    private mutating func restart(at here: Anchor) {
        anchor = here
        trust = .trusted
        motion = .standing(Rest(origin: here, centre: here.point, points: 1))
    }

    // MARK: Speed

    /// The distance of a hop beyond the sustainable speed, in metres; zero or negative for a plausible hop.
    private func excess(from: Anchor, to: Anchor) -> (metres: Double, distance: Double, seconds: Double) {
        let distance = from.point.distance(to: to.point)
        let seconds = Double(to.timeMilliseconds - from.timeMilliseconds) / 1_000
        return (distance - activity.sustainableMetresPerSecond * seconds, distance, seconds)
    }

    /// Spends the budget of excess speed. Returns the reason why the point is not trusted, or nil if it is.
    private mutating func distrust(_ here: Anchor, from anchor: Anchor) -> Reason? {
        let hop = excess(from: anchor, to: here)
        switch trust {
        case .riding(let slowMilliseconds, let slowPoints):
            return ride(to: here, from: anchor, excess: hop.metres, slowMilliseconds, slowPoints)
        case .doubted(let candidate, let consistent):
            // The point is plausible from the anchor again: the doubted points were stray.
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

    /// Handles a point that does not plausibly follow the anchor. Whether it follows the doubted points determines the
    /// reason.
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

    /// Follows a vehicle ride until the hops have been plausible for a while. The budget is empty afterwards, so that
    /// the next stretch of the same ride (after a red light) is recognised at once.
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

    /// Counts a trusted step. On the move, each hop counts. At rest, nothing counts until the runner has left the
    /// circle of noise; then the straight line from its centre counts.
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
        // One stray point is noise. Three points outside, or two that are three seconds apart, are a start. The anchor
        // is the previous point: at first the last one inside, then the first one outside.
        if rest.outside == 0 { rest.outsideSince = anchor.timeMilliseconds }
        let apart = here.timeMilliseconds - anchor.timeMilliseconds
        guard rest.outside >= 2 || (rest.outside == 1 && apart >= Self.startMillisecondsMin) else {
            rest.outside += 1
            motion = .standing(rest)
            return .notCounted(.drift)
        }
        motion = .moving(
            block: Block(startMilliseconds: here.timeMilliseconds, mean: here.point, points: 1), before: nil)
        // The mean of a very short rest has been dragged along by the start itself, so the distance is measured from
        // its origin.
        let isShort = rest.outsideSince - rest.origin.timeMilliseconds < Self.shortRestMilliseconds
        let start = isShort ? rest.origin.timeMilliseconds : rest.outsideSince
        return .counted(
            distanceMetres: (isShort ? rest.origin.point : rest.centre).distance(to: here.point),
            movingSeconds: Double(here.timeMilliseconds - start) / 1_000)
    }

    /// Averages positions over blocks. Two neighbouring blocks with almost the same mean indicate a phone at rest.
    private func moved(_ here: Anchor, block: Block?, before: Block?) -> Motion {
        let fresh = Block(startMilliseconds: here.timeMilliseconds, mean: here.point, points: 1)
        guard var block else { return .moving(block: fresh, before: before) }
        guard here.timeMilliseconds - block.startMilliseconds >= Self.blockMilliseconds else {
            block.points += 1
            block.mean = block.mean.moved(toward: here.point, fraction: 1 / Double(block.points))
            return .moving(block: block, before: before)
        }
        if let before {
            // The deviation of a mean of n points is 1/√n of a single point's.
            let radius = Self.standingRadiusMetresMin / Double(min(block.points, before.points)).squareRoot()
            if before.mean.distance(to: block.mean) < radius {
                // The rest begins here and not at the blocks, because the distance and time up to here are already
                // counted.
                return .standing(Rest(origin: here, centre: here.point, points: 1))
            }
        }
        return .moving(block: fresh, before: block)
    }
}
