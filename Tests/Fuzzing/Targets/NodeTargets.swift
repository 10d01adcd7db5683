@testable import Hub

extension FuzzTarget {
    static let nodes = [
        FuzzTarget("node-message", inputBytesMax: 2048, run: NodeRules.message),
        FuzzTarget("heatmap-message", run: NodeRules.heatmap),
    ]
}

/// What nodes tell each other.
private enum NodeRules {
    static func message(_ input: [UInt8]) throws {
        let message: NodeMessage
        do {
            message = try NodeMessage(decoding: input)
        } catch {
            return try demandPlain(error.description)
        }
        try check(message)
        let again: NodeMessage
        do {
            again = try NodeMessage(decoding: message.encoded)
        } catch {
            throw BrokenRule(description: "what is written can be read: \(error)")
        }
        try demandEqual(again, message, "what is read is written, and read again, the same")
    }

    static func heatmap(_ input: [UInt8]) throws {
        let message: HeatmapMessage
        do {
            message = try HeatmapMessage(decoding: input)
        } catch {
            return try demandPlain(error.description)
        }
        if case .published(_, let cells) = message {
            try demand(cells.allSatisfy { $0.people >= 5 }, "no cell shows too few")
        }
        let again: HeatmapMessage
        do {
            again = try HeatmapMessage(decoding: message.encoded)
        } catch {
            throw BrokenRule(description: "what is written can be read: \(error)")
        }
        try demandEqual(again, message, "what is read is written, and read again, the same")
    }

    private static func check(_ message: NodeMessage) throws {
        switch message {
        case .session(let state): try check(state)
        case .positions(let states, _): for state in states { try check(state) }
        case .runners(let runners):
            for entry in runners.entries {
                try check(entry.state)
                try demand(entry.trail.count <= RouteLimits.trailPointsMax, "a trail is short")
            }
        case .step(let step), .route(let step?):
            try check(step.state)
            if case .route(let route) = step.change {
                try demand(
                    route.reduce(0) { $0 + $1.count } <= RouteLimits.pointsMax, "a route is as long as it may be")
            }
        case .interest(let interest):
            try demand(interest.cells.count <= NodeLimits.cellsMax, "few cells are listened to one by one")
            try demand(interest.cells.allSatisfy { $0.zoom == NodeLimits.cellZoom }, "cells are of one zoom")
        case .publications(let head, let publications):
            try demand(
                zip(publications, publications.dropFirst()).allSatisfy { $1.offset == $0.offset + 1 },
                "publications follow each other")
            try demand(publications.allSatisfy { $0.offset <= head.offset }, "the head is the last")
        default: break
        }
    }

    private static func check(_ state: NodeSession) throws {
        let session = state.session
        try demand(session.id > 0 && session.owner.id > 0, "numbers are of rows")
        try demand(session.title.utf8.count <= NodeLimits.textBytesMax, "texts are short")
        try demand([session.distance, session.elapsed, state.rate].allSatisfy(\.isFinite), "amounts are numbers")
        if let fix = state.fix {
            try demand(abs(fix.position.latitude) <= 90 && abs(fix.position.longitude) <= 180, "a fix is on the Earth")
        }
    }
}
