import CampanileClient
import Server
import Wire

/// Makes the people with names and everything that they have done before a visitor comes.
struct SamplePreparation: Sendable {
    let server: CampanileServer
    let accounts: SampleAccounts
    let time: SampleTime

    private var past: SamplePast { SamplePast(database: server.database) }

    /// The conversations of `people`.
    func conversations(_ people: SamplePeople) -> SampleConversations {
        SampleConversations(people: people, time: time, past: past)
    }

    /// Makes everything except the admin. The visitor's client is closed at the end, because visitors use the account themselves.
    func run() async throws -> (SamplePeople, SampleSignIns.SignIn) {
        let password = SimulatedAccount.randomPassword()
        async let visiting = accounts.make(SampleCast.visitor, password: password)
        async let announcing = makeOffice()
        let students = try await accounts.make(SampleCast.students)
        let people = SamplePeople(visitor: try await visiting, office: try await announcing, students: students)
        let places = SamplePlaces()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await SampleNotices(people: people).publish() }
            group.addTask {
                try await SampleHistory(visitor: people.visitor, campus: places, time: time, past: past).make()
            }
            group.addTask { try await makeFriends(people, places) }
            try await group.waitForAll()
        }
        await people.visitor.client.close()
        return (
            people,
            SampleSignIns.SignIn(
                label: SampleLife.visitorLabel, email: people.visitor.account.email, password: password)
        )
    }

    /// Buddies first: groups, private events and shares need them.
    private func makeFriends(_ people: SamplePeople, _ places: SamplePlaces) async throws {
        for (index, person) in (people.students + [people.visitor]).enumerated() {
            try await SampleBuddyProfiles.save(index, of: person)
        }
        let conversations = conversations(people)
        try await conversations.match()
        async let events: Void = SampleEvents(people: people, places: places, time: time).make()
        try await conversations.write()
        try await SampleShares(people: people, places: places).start()
        async let training: Void = SampleTraining(people: people, time: time).make()
        try await events
        try await training
    }

    /// The office that announces: a lecturer, who may publish events and notices for the campus and nothing else of an admin's.
    private func makeOffice() async throws -> SamplePerson {
        let password = SimulatedAccount.randomPassword()
        let office = try await accounts.make(SampleCast.office, password: password)
        try await server.setRole(.lecturer, ofEmail: office.account.email)
        // The new role has ended the sign-in, and with it the client.
        await office.client.close()
        let client = ResilientClient(address: accounts.server, loops: accounts.loops)
        await client.start()
        let signedIn = try await client.call(AccountLogin.self, .init(email: office.account.email, password: password))
        await client.setToken(signedIn.token)
        return SamplePerson(client: client, account: signedIn.account, profile: office.profile)
    }

    /// Makes the sample admin, whom no sample acts for.
    func makeAdmin() async throws -> SampleSignIns.SignIn {
        let password = SimulatedAccount.randomPassword()
        let admin = try await accounts.make(SampleCast.admin, password: password)
        await admin.client.close()
        try await server.setRole(.admin, ofEmail: admin.account.email)
        return SampleSignIns.SignIn(label: SampleLife.adminLabel, email: admin.account.email, password: password)
    }
}
