import Wire

/// The sample people by name. The other plans refer to the members of ``students`` by their position.
enum SampleCast {
    /// The person as whom a visitor looks around.
    static let visitor = SampleProfile(
        username: "lena", firstName: "Lena", lastName: "Sample", birthday: "2003-05-14", gender: .female,
        degree: "Architecture", words: "Evening runs, weekend rides, coffee in between.",
        interests: ["running", "cycling", "yoga"])

    /// The office that announces events and notices for the campus.
    static let office = SampleProfile(
        username: "sportsoffice", firstName: "Sports Office", lastName: "Sample", birthday: "1984-03-02",
        gender: .other,
        degree: "University sports", words: "Courses, races and the hours of the halls.", interests: [])

    /// The administrator of the sample campus.
    static let admin = SampleProfile(
        username: "sampleadmin", firstName: "Ada", lastName: "Sample", birthday: "1980-01-20", gender: .female,
        degree: "Campus administration", words: "Looks after the sample campus.", interests: [])

    /// People who look for buddies and answer.
    static let students: [SampleProfile] = [
        student(
            "Amelia", "1999-04-11", .female, "Medicine", "I run slowly, talk a lot, and never miss a Tuesday.",
            ["running", "walking"]),
        student(
            "Noor", "2001-09-23", .female, "Physics", "Looking for company on long rides.", ["cycling", "swimming"]),
        student(
            "Mateo", "2000-02-05", .male, "History", "Learning to swim properly, at last.", ["swimming", "running"]),
        student(
            "Yuki", "2002-11-30", .other, "Computer Science", "Lifting before lectures. Coffee after.",
            ["weights", "functional"]),
        student(
            "Ingrid", "1998-07-17", .female, "Law", "I count for you, you count for me.", ["intervals", "running"]),
        student(
            "Kwame", "2001-01-08", .male, "Economics", "Back after a break: patient people welcome.",
            ["running", "ball-games"]),
        student("Priya", "2003-03-19", .female, "Biology", "Yoga first, then everything else.", ["yoga", "dance"]),
        student(
            "Luca", "2000-10-02", .male, "Music", "I bring the playlist for every interval.", ["intervals", "cycling"]),
        student(
            "Zofia", "1997-12-27", .female, "Chemistry", "Half marathon in spring. Training starts now.",
            ["running", "cycling"]),
        student(
            "Tariq", "2002-06-14", .male, "Engineering", "Five-a-side on Thursdays, running on all other days.",
            ["ball-games", "running"]),
        student(
            "Hana", "1999-08-21", .female, "Mathematics", "Quiet early laps around the lake.", ["running", "swimming"]),
        student(
            "Oskar", "2001-05-06", .male, "Geography", "I know every path in the arboretum.", ["walking", "cycling"]),
    ]

    private static func student(
        _ name: String, _ birthday: String, _ gender: Gender, _ degree: String, _ words: String, _ interests: [String]
    ) -> SampleProfile {
        SampleProfile(
            username: "sample\(name)", firstName: name, lastName: "Sample", birthday: birthday, gender: gender,
            degree: degree, words: words, interests: interests)
    }
}
