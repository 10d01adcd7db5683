import Services
import Wire

extension Router {
    /// Adds what is asked of the heatmap; it is published as a topic.
    mutating func addHeatmap(_ heatmap: Heatmap) {
        let limits = limits
        add(HeatmapAlong.self) { caller, params in
            try limits.listing(by: caller)
            return try await heatmap.along(params)
        }
    }
}
