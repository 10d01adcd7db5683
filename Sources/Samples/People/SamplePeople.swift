/// The sample people with names, signed in.
struct SamplePeople: Sendable {
    /// The account as which visitors look around. No sample acts for it after the preparation.
    let visitor: SamplePerson
    /// Announces events and notices; a lecturer.
    let office: SamplePerson
    /// In the order of ``SampleCast/students``.
    let students: [SamplePerson]

    /// Accounts of the people that a responder acts for.
    var cast: Set<Int64> { Set(students.map(\.account.id) + [office.account.id]) }

    func owner(of plan: SampleEventPlan) -> SamplePerson {
        switch plan.owner {
        case .office: office
        case .student(let index): students[index]
        }
    }

    /// Closes all clients.
    func close() async {
        for person in students + [office, visitor] { await person.client.close() }
    }
}
