import Wire

/// A conversation of the visitor with its messages.
struct SampleDialogue: Sendable {
    enum Speaker: Sendable, Equatable {
        case visitor
        /// Position in ``SampleCast/students``.
        case student(Int)
    }
    enum Kind: Sendable {
        /// With one buddy of the visitor.
        case direct(Int)
        case group(name: String, purpose: GroupPurpose?, owner: Speaker, students: [Int])
    }
    struct Line: Sendable {
        let minutesAgo: Double
        let by: Speaker
        let text: String
        /// A reaction of another member.
        let reaction: (emoji: Reaction, by: Speaker)?

        init(_ minutesAgo: Double, _ by: Speaker, _ text: String, _ reaction: (emoji: Reaction, by: Speaker)? = nil) {
            self.minutesAgo = minutesAgo
            self.by = by
            self.text = text
            self.reaction = reaction
        }
    }

    let kind: Kind
    let lines: [Line]
    /// Number of last lines that the visitor has not read.
    let unread: Int
}

extension SampleDialogue {
    /// Buddies among the sample people and of the visitor, as positions; groups and private events need them.
    static let visitorBuddies = [0, 1, 4, 6, 8, 10]
    static let studentBuddies = [(0, 8), (0, 10), (1, 4), (1, 8)]

    private static let day = 1_440.0

    /// The conversations, the one with the oldest last message first.
    static let all: [SampleDialogue] = [
        SampleDialogue(
            kind: .direct(6),
            lines: [
                Line(6 * day, .student(6), "Welcome to the mat club! How are your legs today?"),
                Line(6 * day - 12, .visitor, "Heavy. I took the stairs one at a time."),
                Line(6 * day - 20, .student(6), "Then it worked 🙂 Same time next week?", (.muscle, .visitor)),
                Line(6 * day - 22, .visitor, "Yes, please."),
            ], unread: 0),
        SampleDialogue(
            kind: .direct(1),
            lines: [
                Line(4 * day, .student(1), "The wind was with us all the way back!"),
                Line(4 * day - 5, .visitor, "My best average so far. Thank you for pulling."),
                Line(4 * day - 9, .student(1), "Next time you go first.", (.fire, .visitor)),
                Line(3 * day, .visitor, "Deal. Do you have a spare tube for Saturday?"),
                Line(3 * day - 30, .student(1), "Two of them."),
            ], unread: 0),
        SampleDialogue(
            kind: .direct(10),
            lines: [
                Line(2 * day, .student(10), "It's my birthday soon. A run and cake, are you in?"),
                Line(2 * day - 40, .visitor, "For cake I run any distance."),
                Line(2 * day - 45, .student(10), "I've sent you the invitation.", (.hundred, .visitor)),
            ], unread: 0),
        SampleDialogue(
            kind: .group(name: "Saturday rides", purpose: .workout, owner: .visitor, students: [1, 8]),
            lines: [
                Line(day + 300, .visitor, "Who is up for the long way around on Saturday?"),
                Line(day + 280, .student(8), "Me, if we stop for coffee.", (.thumb, .student(1))),
                Line(day + 270, .student(1), "There is always coffee."),
                Line(day + 20, .visitor, "Ten at the West Gate then."),
                Line(day, .student(8), "See you there!", (.thumb, .visitor)),
            ], unread: 0),
        SampleDialogue(
            kind: .direct(8),
            lines: [
                Line(500, .student(8), "16 km done. My plan says rest tomorrow, my head says run."),
                Line(470, .visitor, "Listen to the plan!"),
                Line(180, .student(8), "All right. But Sunday is long run day."),
                Line(175, .student(8), "Would you keep me company for the last five?"),
            ], unread: 2),
        SampleDialogue(
            kind: .direct(4),
            lines: [
                Line(260, .visitor, "How many repetitions tonight?"),
                Line(240, .student(4), "Eight. I count for you, you count for me."),
                Line(90, .student(4), "I'm at the track from six. Bring water, it's warm."),
            ], unread: 1),
        SampleDialogue(
            kind: .group(name: "Lake Loop crew", purpose: .workout, owner: .student(0), students: [8, 10]),
            lines: [
                Line(3 * day, .student(0), "New group for everybody who runs around the lake with us."),
                Line(3 * day - 10, .student(10), "Finally! Mornings, I hope?", (.thumb, .student(0))),
                Line(3 * day - 60, .visitor, "Mornings are fine if there's coffee after."),
                Line(70, .student(0), "Tomorrow, half past seven, at Union Coffee. Easy five."),
                Line(55, .student(8), "In! Three laps?", (.thumb, .student(0))),
                Line(20, .student(10), "The path by the beach is dry again, by the way."),
            ], unread: 3),
        SampleDialogue(
            kind: .direct(0),
            lines: [
                Line(300, .student(0), "Did you see the new lights on the Campus Loop?"),
                Line(280, .visitor, "Yes, so much better in the evening."),
                Line(15, .student(0), "I'm sharing where I am, come and find me 🙂"),
                Line(8, .student(0), "Fair warning: I run slowly and talk a lot."),
            ], unread: 2),
    ]

    /// A group to which the visitor is invited and has not answered.
    static let invitation = SampleDialogue(
        kind: .group(name: "Campus Run team", purpose: .event, owner: .student(4), students: [1]), lines: [], unread: 0)

    /// Messages that arrive in the group "Lake Loop crew" while a visitor looks around, in this order.
    static let arriving: [(by: Int, text: String)] = [
        (8, "I've put the route into my watch."), (10, "Who brings the coffee card?"),
        (0, "I do. It has two free ones left!"),
        (8, "Then I'm definitely coming."),
    ]
    /// Name of the group in which ``arriving`` appears.
    static let arrivingIn = "Lake Loop crew"
}
