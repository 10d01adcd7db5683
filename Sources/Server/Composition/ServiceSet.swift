import EventLoop
import Hub
import Postgres
import Services
import Wire

/// The services that the methods call.
struct ServiceSet: Sendable {
    let accounts: Accounts
    let profiles: Profiles
    /// Nil if no provider is set up.
    let openID: OpenIDSignIn?
    let passkeys: Passkeys
    let secondFactors: SecondFactors
    let tracking: Tracking
    let campus: CampusMap
    let hub: Hub
    let publications: Publications
    let chat: Chat
    let buddies: Buddies
    let people: People
    let safety: Safety
    let pictures: Pictures
    let events: Events
    let goals: Goals
    let notices: Notices
    let administration: Administration
    let places: Places
    let search: Search
    let placePages: PlacePages
    let audit: AuditReader
    let campusWatch: CampusReloader
    let reminders: Reminders
    /// Nil if the server sends no mail.
    let accountMail: AccountMail?
    let personalData: PersonalData
    let personalPlaces: PersonalPlaces
    let privacy: Privacy
    /// Called after the suppression rules of an account have changed: recomputes or removes everything that shows the account here.
    let rulesChanged: @Sendable (Int64) async -> Void
    let heatmap: Heatmap
    let routes: Routes
    let sharing: Sharing
    let together: Together
    let training: TrainingServices
    let clock: ServerClock

    /// Creates the services in the order of their dependencies.
    static func make(
        _ configuration: ServerConfiguration, loop: EventLoop, _ clients: DatabaseClients, passwords: Passwords,
        metrics: ServerMetrics
    ) async throws -> ServiceSet {
        let core = try await CoreServices.make(configuration, loop: loop, clients, passwords: passwords, metrics)
        let location = try await LocationServices.make(core, loop: loop, clients)
        let services = makeSet(core, location, configuration, loop: loop, clients, metrics)
        let together = services.together
        await services.training.trainings.setGroups(
            Trainings.Groups(
                plan: { try await together.plan(of: $0, for: $1) }, begun: { try await together.begun($0, by: $1) },
                ended: { await together.finished($0, by: $1, ending: $2) }))
        return services
    }

    private static func makeSet(
        _ core: CoreServices, _ location: LocationServices, _ configuration: ServerConfiguration, loop: EventLoop,
        _ clients: DatabaseClients, _ metrics: ServerMetrics
    ) -> ServiceSet {
        let (pool, hub, reminders, rules, watch) = (
            clients.pool, core.hub, core.reminders, location.rules, location.watch
        )
        let sharing = Sharing(
            loop: loop, database: pool, openings: clients.openings, hub: hub, prepare: { try await rules.load($0) },
            isLocationOn: { rules.isLocationOn($0) }, clock: location.clock)
        let routes = Routes(
            loop: loop, database: pool, hub: hub, campus: core.campus, events: core.events, sharing: sharing,
            metrics: metrics.routes)
        let personalData = makePersonalData(core, location, routes, loop: loop, pool)
        let search = Search(loop: loop, database: pool, campus: core.campus)
        let training = TrainingServices(loop: loop, pool, hub: hub, search: search)
        return ServiceSet(
            accounts: core.accounts, profiles: Profiles(database: pool), openID: core.openID, passkeys: core.passkeys,
            secondFactors: core.secondFactors,
            tracking: location.tracking, campus: core.campus, hub: hub,
            publications: Publications(
                loop: loop, table: core.table, writer: clients.publications, hub: hub, campus: core.campus,
                hasTestTopics: configuration.testEndpoints, metrics: metrics.publications),
            chat: core.chat, buddies: core.buddies, people: People(database: pool),
            safety: Safety(loop: loop, database: pool, events: core.buddyEvents),
            pictures: Pictures(
                database: pool,
                access: SharedPictures(
                    buddies: core.buddies, chat: core.chat, adminsNeedFactor: core.accounts.adminsNeedFactor),
                metrics: metrics.pictures),
            events: core.events,
            goals: Goals(
                loop: loop, database: pool,
                reached: { account, goal in
                    await hub.signals.publish([AccountSignal(account, UserSignal(type: .goal))], by: 0)
                    try? await reminders.goalReached(goal, by: account)
                }),
            notices: Notices(
                loop: loop, database: pool, writer: clients.noticeReceipts, hub: hub, table: core.noticeTable,
                metrics: metrics.receipts),
            administration: Administration(
                loop: loop, database: pool, accounts: core.accounts, tracking: location.tracking,
                welcome: { await reminders.welcome($0, at: $1, path: $2) },
                erase: { try await personalData.finish($0) }),
            places: Places(loop: loop, database: pool, campus: core.campus) { await watch.reloadAndNotifyNodes() },
            search: search,
            placePages: PlacePages(loop: loop, database: pool, search: search, hub: hub, walking: routes) {
                await watch.reloadAndNotifyNodes()
            },
            audit: AuditReader(database: pool), campusWatch: watch, reminders: reminders,
            accountMail: core.accountMail,
            personalData: personalData, personalPlaces: location.personalPlaces, privacy: location.privacy,
            rulesChanged: location.rulesChanged, heatmap: location.heatmap, routes: routes, sharing: sharing,
            together: together(core, training, loop: loop, pool),
            training: training, clock: location.clock)
    }

    private static func together(
        _ core: CoreServices, _ training: TrainingServices, loop: EventLoop, _ pool: PostgresPool
    ) -> Together {
        let reminders = core.reminders
        return Together(
            loop: loop, database: pool, hub: core.hub, exercises: training.exercises, body: training.body,
            invited: { try await reminders.invited(to: $0, $1) })
    }

    /// The erasure of an account reaches every service that keeps something of it in memory.
    private static func makePersonalData(
        _ core: CoreServices, _ location: LocationServices, _ routes: Routes, loop: EventLoop, _ pool: PostgresPool
    ) -> PersonalData {
        let (hub, accounts, events) = (core.hub, core.accounts, core.events)
        let (tracking, rules, rulesChanged) = (location.tracking, location.rules, location.rulesChanged)
        return PersonalData(
            loop: loop, database: pool, accounts: accounts,
            others: PersonalData.ErasureHandlers(
                end: { account, tokens in
                    await accounts.announceRevocation(tokens, .removed)
                    try await tracking.finishAll(of: account)
                    await hub.shares.end(of: account)
                    await hub.shares.clearLocation(of: account)
                    await hub.liveGroups.end(of: account)
                    rules.forget(account)
                    await routes.endWalks(of: account)
                    try await Sharing.endQuestions(of: account, pool, hub)
                },
                conversationsChanged: {
                    for conversation in $0 { _ = await hub.logs.publishAppended(to: .chat(conversation)) }
                },
                left: {
                    await hub.notices.appended()
                    // The removal of the account does not wait for it.
                    Task { try? await events.publishPendingChanges() }
                },
                gone: { account in
                    // Other readers of the account's data now find nothing, and drop its key and its private zones.
                    await hub.announcePrivacyChange(of: account)
                    rules.forget(account)
                    await rulesChanged(account)
                }))
    }
}

/// Accounts that consent to the heatmap, at locations that are not hidden.
struct HeatmapByRules: HeatmapMembers {
    let rules: PrivacyRules

    func isCounted(_ account: Int64) -> Bool { rules.isCounted(account) }
    func isHidden(_ account: Int64, at position: LatLon, within metres: Double) -> Bool {
        rules.hidden(account, at: position, within: metres) != nil
    }
}

/// Access to pictures of other accounts, for viewers who may see the profile or message of the picture.
private struct SharedPictures: PictureAccess {
    let buddies: Buddies
    let chat: Chat
    let adminsNeedFactor: Bool

    func mayViewProfilePicture(_ id: String, of owner: Int64, by viewer: Int64) async throws -> Bool {
        try await buddies.mayViewProfilePicture(
            id, of: owner, by: viewer, adminsNeedFactor: adminsNeedFactor)
    }

    func mayViewChatPicture(
        _ id: String, conversation: Int64, offset: Int64, by viewer: Int64
    ) async throws -> Bool {
        try await chat.mayView(
            picture: id, conversation: conversation, offset: offset, by: viewer,
            adminsNeedFactor: adminsNeedFactor)
    }
}
