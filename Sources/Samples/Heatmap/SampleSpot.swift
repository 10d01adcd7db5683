/// People in one cell of the heatmap.
struct SampleSpot: Sendable {
    /// Name of a place of the sample campus.
    let place: String
    /// Cells between that of the place and this one, to the east and to the south.
    var east: Int32 = 0
    var south: Int32 = 0
    /// A cell shows on the heatmap from 9 to 13 people.
    let people: Int

    static let all: [SampleSpot] = [
        SampleSpot(place: "Weaver Library", people: 48), SampleSpot(place: "Weaver Library", east: -1, people: 22),
        SampleSpot(place: "Refectory", people: 30), SampleSpot(place: "Refectory", south: 1, people: 15),
        SampleSpot(place: "Union Coffee", people: 22), SampleSpot(place: "Quad Kiosk", people: 24),
        SampleSpot(place: "Sports Hall", people: 16),
    ]
}
