import EventLoop
import Hub
import Metrics
import Postgres
import Services
import Wire

/// The services that the methods call.
struct ServiceSet: Sendable {
    let accounts: Accounts
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
    let audit: AuditReader
    let campusWatch: CampusWatch
    let reminders: Reminders
    let personalData: PersonalData
    let personalPlaces: PersonalPlaces
    let privacy: Privacy
    /// Called after the suppression rules of an account have changed: recomputes or removes everything that shows the account here.
    let rulesChanged: @Sendable (Int64) async -> Void
    let heatmap: Heatmap
    let sharing: Sharing
    let clock: ServerClock

    /// Creates the services in the order of their dependencies.
    static func make(
        _ configuration: ServerConfiguration, loop: EventLoop, _ clients: DatabaseClients, passwords: Passwords,
        metrics: ServerMetrics
    ) async throws -> ServiceSet {
        let key = try configuration.simulationKey ?? SimulationKey.readOrMake(in: configuration.dataDirectory)
        let pool = clients.pool
        let table = PublicationTable(database: pool)
        let hub = Hub(
            loop: loop, metrics: metrics.hub,
            store: TopicStores(publications: table, chat: ChatTable(database: pool)))
        let campus = CampusMap()
        let store = CampusStore(database: pool)
        campus.replace(with: try await store.load())
        let noticeTable = NoticeTable(database: pool)
        await hub.setNotices(noticeTable)
        let reminders = try await Reminders.make(
            loop: loop, database: pool, hub: hub, configuration: configuration.reminders,
            heldUntil: { try await noticeTable.heldUntil($0) }, metrics: metrics.reminders)
        let chat = Chat(
            loop: loop, database: pool, writer: clients.messages, hub: hub, metrics: metrics.chat,
            unread: reminders.unread)
        let events = Events(loop: loop, database: pool, hub: hub, campus: campus)
        await events.setTold { try await reminders.eventNews($0) }
        let told = BuddyEvents(
            opened: { await chat.directChanged($0, accounts: $1, isOpen: true) },
            closed: { await chat.directChanged($0, accounts: $1, isOpen: false) },
            uninvited: { await chat.tellGone($0, [$1]) },
            blockChanged: { one, other, isOn in
                await hub.setBlock(one, other, isOn: isOn)
                // A participant may now move up from the waiting list. The block does not wait for it.
                if isOn { Task { try? await events.tellNews() } }
            },
            reported: { await chat.tellAdmins(UserSignal(type: .report), except: $0) })
        let buddies = Buddies(loop: loop, database: pool, events: told)
        let accounts = Accounts(loop: loop, database: pool, passwords: passwords, simulationKey: key)
        let rules = PrivacyRules(loop: loop, database: pool, campus: campus)
        let clock = ServerClock()
        let tracking = Tracking(
            loop: loop, database: pool, writer: clients.points, hub: hub, campus: campus, rules: rules, clock: clock)
        await hub.setShares(ShareTable(database: pool), rules: rules)
        await tracking.setLocated { hub.post($1, of: $0) }
        rules.setLoaded { await tracking.redraw($0) }
        let heatmap = try await Heatmap.make(
            loop: loop, database: pool, hub: hub, members: HeatmapByRules(rules: rules))
        let personalPlaces = PersonalPlaces(loop: loop, database: pool)
        // Applies changed rules, wherever they were changed; the fastest step comes first.
        let rulesChanged: @Sendable (Int64) async -> Void = { account in
            heatmap.forget(account: account)
            await personalPlaces.forgetStay(of: account)
            await hub.rulesChanged(for: account)
            await tracking.redraw(account)
        }
        let watch = CampusWatch(campus: campus, hub: hub, store: store) {
            for account in await hub.locatedAccounts {
                heatmap.forget(account: account)
                await personalPlaces.forgetStay(of: account)
                await hub.rulesChanged(for: account)
                await Task.yield()
            }
            await tracking.redrawAll()
        }
        let privacy = Privacy(
            loop: loop, database: pool, rules: rules,
            forget: { try await personalPlaces.forget($0, but: $1, $2) },
            changed: { account in
                await hub.tellPrivacy(of: account)
                await rulesChanged(account)
                await hub.tell([AccountSignal(account, UserSignal(type: .privacy))], by: 0)
            })
        await hub.setAccepted { account, fix in
            heatmap.note(account: account, position: fix.position, accuracy: fix.accuracy)
            guard rules.keepsVisits(account), fix.accuracy <= PersonalPlaces.accuracyMax else { return }
            let isDark = rules.hidden(account, at: fix.position, within: fix.accuracy) != nil
            let place = isDark ? nil : campus.picture.ladder.building(at: fix.point)
            Task { await personalPlaces.isAt(place, account) }
        }
        await hub.setForgotten { heatmap.forget(account: $0) }
        let personalData = PersonalData(
            loop: loop, database: pool, accounts: accounts,
            others: PersonalData.Others(
                end: { account, tokens in
                    await accounts.tellRevoked(tokens, .removed)
                    try await tracking.finishAll(of: account)
                    await hub.endShares(of: account)
                    await hub.clearLocation(of: account)
                    rules.forget(account)
                    try await Sharing.endQuestions(of: account, pool, hub)
                },
                conversationsChanged: { for conversation in $0 { _ = await hub.look(at: conversation) } },
                left: {
                    await hub.noticesGrew()
                    // The removal of the account does not wait for it.
                    Task { try? await events.tellNews() }
                },
                gone: { account in
                    // Other readers of the account's data now find nothing, and drop its key and its private zones.
                    await hub.tellPrivacy(of: account)
                    rules.forget(account)
                    await rulesChanged(account)
                }))
        return ServiceSet(
            accounts: accounts, tracking: tracking,
            campus: campus, hub: hub,
            publications: Publications(
                loop: loop, table: table, writer: clients.publications, hub: hub, campus: campus,
                hasTestTopics: configuration.testEndpoints, metrics: metrics.publications),
            chat: chat, buddies: buddies, people: People(database: pool),
            safety: Safety(loop: loop, database: pool, events: told),
            pictures: Pictures(
                database: pool, access: SharedPictures(buddies: buddies, chat: chat), metrics: metrics.pictures),
            events: events,
            goals: Goals(
                loop: loop, database: pool,
                reached: { account, goal in
                    await hub.tell([AccountSignal(account, UserSignal(type: .goal))], by: 0)
                    try? await reminders.goalReached(goal, by: account)
                }),
            notices: Notices(
                loop: loop, database: pool, writer: clients.receipts, hub: hub, table: noticeTable,
                metrics: metrics.receipts),
            administration: Administration(
                loop: loop, database: pool, accounts: accounts, tracking: tracking,
                welcome: { await reminders.welcome($0, at: $1, path: $2) },
                erase: { try await personalData.finish($0) }),
            places: Places(loop: loop, database: pool, campus: campus) { await watch.lookAndTell() },
            audit: AuditReader(database: pool), campusWatch: watch, reminders: reminders,
            personalData: personalData, personalPlaces: personalPlaces, privacy: privacy,
            rulesChanged: rulesChanged, heatmap: heatmap,
            sharing: Sharing(
                loop: loop, database: pool, openings: clients.openings, hub: hub, prepare: { try await rules.load($0) },
                clock: clock),
            clock: clock
        )
    }
}

/// Accounts that consent to the heatmap, at locations that are not hidden.
private struct HeatmapByRules: HeatmapMembers {
    let rules: PrivacyRules

    func isCounted(_ account: Int64) -> Bool { rules.isCounted(account) }
    func isDark(_ account: Int64, at position: LatLon, within metres: Double) -> Bool {
        rules.hidden(account, at: position, within: metres) != nil
    }
}

/// Access to pictures of other accounts, for viewers who may see the profile or message of the picture.
private struct SharedPictures: PictureAccess {
    let buddies: Buddies
    let chat: Chat

    func mayViewProfilePicture(_ id: String, of owner: Int64, by viewer: Int64) async throws -> Bool {
        try await buddies.mayViewProfilePicture(id, of: owner, by: viewer)
    }

    func mayViewChatPicture(
        _ id: String, conversation: Int64, offset: Int64, by viewer: Int64
    ) async throws -> Bool {
        try await chat.mayView(picture: id, conversation: conversation, offset: offset, by: viewer)
    }
}

/// Connections to the database. Each kind of grouped write has its own connection, so that none waits for the locks of another.
struct DatabaseClients: Sendable {
    let pool: PostgresPool
    let points: GroupWriter
    let publications: GroupWriter
    let messages: GroupWriter
    let receipts: GroupWriter
    let openings: GroupWriter

    init(_ configuration: PostgresConfiguration, loop: EventLoop, metrics: PostgresMetrics) {
        pool = PostgresPool(configuration: configuration, loop: loop, metrics: metrics)
        points = GroupWriter(configuration: Tracking.writing(configuration), loop: loop, metrics: metrics)
        let grouped = Publications.writing(configuration)
        publications = GroupWriter(configuration: grouped, loop: loop, atOnce: false)
        messages = GroupWriter(configuration: grouped, loop: loop, atOnce: false)
        receipts = GroupWriter(configuration: grouped, loop: loop, atOnce: false)
        openings = GroupWriter(configuration: grouped, loop: loop, atOnce: false)
    }

    /// Commits pending writes and accepts no more.
    func closeWriters() async {
        await messages.close()
        await receipts.close()
        await openings.close()
        await publications.close()
        await points.close()
    }

    func close() async {
        await closeWriters()
        await pool.close()
    }
}
