import Services
import Wire

extension Router {
    /// Adds what is asked of the heatmap; it is published as a topic.
    mutating func addHeatmap(_ heatmap: Heatmap) {
        add(HeatmapAlong.self) { try await heatmap.along($1) }
    }
}
