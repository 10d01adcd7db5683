import Services
import Wire

extension Router {
    /// Adds the methods for the heatmap, which itself is published as a topic.
    mutating func addHeatmap(_ heatmap: Heatmap) {
        let limits = limits
        add(HeatmapAlong.self) { caller, params in
            try limits.listing(by: caller)
            return try await heatmap.along(params)
        }
    }
}
