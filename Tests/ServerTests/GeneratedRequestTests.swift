import APIDescription
import Foundation
import RequestFuzzing
import Server
import TestSupport
import Testing
import Wire

@Suite("Requests generated from the catalogue")
struct GeneratedRequestTests {
    @Test("Every method withstands every extreme value of every parameter, as every role, over WebSocket and HTTP")
    func extremes() async throws {
        let host = try await RequestServer.start(seed: 20)
        let tally = RequestTally()
        let started = ContinuousClock.now
        let size = try await ExtremeRequests.run(on: host, tally: tally)
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        #expect(host.errors.all == [])
        await host.server.stop()
        let counts = tally.all
        let silent = counts.called.subtracting(counts.succeeded).sorted()
        print(
            "\(size) in \(Int(seconds)) s; by code: \(counts.byCode.sorted { $0.key < $1.key }); no result of \(silent)"
        )
        #expect(counts.undeclared.isEmpty, "the declarations of these methods lack an error code")
        // The requests get past the decoder: most methods give a result to valid parameters.
        #expect(Double(counts.succeeded.count) >= 0.8 * Double(counts.called.count), "no result of \(silent)")
    }

    @Test(
        "Every number in the parameters of every method has a range, but those of points, which are judged one by one")
    func ranges() {
        for method in MethodCatalogue.methods {
            for parameter in Parameter.all(of: method) where !parameter.name.hasPrefix("tracking.points points") {
                switch parameter.shape {
                case .whole(nil), .number(nil):
                    Issue.record("\(parameter.name) needs a range: see Sources/Wire/Ranges")
                default: break
                }
            }
        }
    }
}
