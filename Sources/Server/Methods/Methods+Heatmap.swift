import Services
import Wire

extension Router {
    /// Adds the methods for the heatmap, which itself is published as a topic.
    mutating func addHeatmap(_ heatmap: Heatmap) {
        add(HeatmapAlong.self) { try await heatmap.along($1) }
    }
}
