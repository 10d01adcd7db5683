import Wire

/// Where a sample person is, and with whom the person shares it.
struct SampleSharePlan: Sendable {
    enum Audience: Sendable {
        case nobody, visitor, campus
        /// The group of this name, of which the person is a member.
        case group(String)
    }
    enum Movement: Sendable {
        /// Stays at a place of the campus.
        case stays(String)
        /// Walks along a course of the campus.
        case walks(String)
    }

    /// Position in ``SampleCast/students``.
    let student: Int
    let movement: Movement
    let audience: Audience
    var precision = Precision.exact

    static let all: [SampleSharePlan] = [
        SampleSharePlan(student: 0, movement: .walks("Lake Loop"), audience: .visitor),
        SampleSharePlan(student: 1, movement: .walks("Campus Loop"), audience: .visitor),
        SampleSharePlan(student: 2, movement: .stays("Boat Hire"), audience: .campus),
        SampleSharePlan(student: 3, movement: .stays("Computing Centre"), audience: .campus, precision: .building),
        SampleSharePlan(student: 4, movement: .stays("Running Track"), audience: .visitor),
        SampleSharePlan(student: 5, movement: .walks("Old Quad Circuit"), audience: .campus),
        SampleSharePlan(student: 6, movement: .stays("Concert Hall"), audience: .visitor, precision: .building),
        SampleSharePlan(student: 7, movement: .stays("Student Union"), audience: .nobody),
        SampleSharePlan(student: 8, movement: .walks("Bell to Bell"), audience: .group("Lake Loop crew")),
        SampleSharePlan(student: 9, movement: .stays("Football Pitch"), audience: .campus, precision: .zone),
        SampleSharePlan(
            student: 10, movement: .stays("Mathematics Tower"), audience: .group("Lake Loop crew"), precision: .building
        ),
        SampleSharePlan(student: 11, movement: .walks("Arboretum Loop"), audience: .campus),
    ]
}
