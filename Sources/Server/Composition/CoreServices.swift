import EventLoop
import Hub
import Postgres
import Services
import Wire

/// The services that need no rules about locations, and the hub.
struct CoreServices: Sendable {
    let hub: Hub
    let table: PublicationTable
    let noticeTable: NoticeTable
    let campus: CampusMap
    let campusStore: CampusStore
    let accounts: Accounts
    /// Nil if no provider is set up.
    let openID: OpenIDSignIn?
    let passkeys: Passkeys
    let secondFactors: SecondFactors
    let reminders: Reminders
    /// Nil if the server sends no mail.
    let accountMail: AccountMail?
    let chat: Chat
    let events: Events
    let buddies: Buddies
    /// The reactions of chat, hub and events to what buddies and safety change.
    let buddyEvents: BuddyHandlers

    static func make(
        _ configuration: ServerConfiguration, loop: EventLoop, _ clients: DatabaseClients, passwords: Passwords,
        _ metrics: ServerMetrics
    ) async throws -> CoreServices {
        metrics.registry.counterFunction(
            "campanile_password_hashes_total", "Computed hashes of passwords, to sign in and to set one."
        ) { Double(passwords.computed.value) }
        let key = try configuration.simulationKey ?? SimulationKey.readOrMake(in: configuration.dataDirectory)
        let pool = clients.pool
        let table = PublicationTable(database: pool)
        let hub = Hub(
            loop: loop, metrics: metrics.registry,
            store: TopicStores(publications: table, chat: ChatTable(database: pool)))
        let campus = CampusMap()
        let campusStore = CampusStore(database: pool)
        campus.replace(with: try await campusStore.load())
        let noticeTable = NoticeTable(database: pool)
        await hub.notices.setStore(noticeTable)
        await hub.liveGroups.setStore(LiveGroupTable(database: pool))
        let reminders = try await Reminders.make(
            loop: loop, database: pool, hub: hub, configuration: configuration.reminders,
            heldUntil: { try await noticeTable.heldUntil($0) }, metrics: metrics.reminders)
        let chat = Chat(
            loop: loop, database: pool, writer: clients.messages, hub: hub, metrics: metrics.chat,
            unread: reminders.unread)
        let events = Events(loop: loop, database: pool, hub: hub, campus: campus)
        await events.setChangePublished { try await reminders.eventChanged($0) }
        let accounts = Accounts(
            loop: loop, database: pool, passwords: passwords, simulationKey: key,
            mail: configuration.accountMail.map { _ in AccountMailOutbox() },
            domains: configuration.registrationDomains, policy: configuration.passwords,
            adminsNeedFactor: configuration.adminSecondFactor == .required)
        let passkeys = try await Passkeys.make(
            loop: loop, database: pool, accounts: accounts, publicURL: configuration.reminders.publicURL)
        let buddyEvents = reactions(hub: hub, chat: chat, events: events)
        return CoreServices(
            hub: hub, table: table, noticeTable: noticeTable, campus: campus, campusStore: campusStore,
            accounts: accounts, openID: openID(configuration, loop: loop, pool, accounts), passkeys: passkeys,
            secondFactors: SecondFactors(loop: loop, database: pool, accounts: accounts, passkeys: passkeys),
            reminders: reminders,
            accountMail: configuration.accountMail.map {
                AccountMail(loop: loop, database: pool, configuration: $0, metrics: metrics.accountMail)
            }, chat: chat, events: events,
            buddies: Buddies(loop: loop, database: pool, events: buddyEvents), buddyEvents: buddyEvents)
    }

    private static func openID(
        _ configuration: ServerConfiguration, loop: EventLoop, _ pool: PostgresPool, _ accounts: Accounts
    ) -> OpenIDSignIn? {
        guard !configuration.openID.isEmpty, let site = configuration.reminders.publicURL else { return nil }
        return OpenIDSignIn(
            loop: loop, database: pool, accounts: accounts, settings: configuration.openID, site: site,
            authorityFile: configuration.openIDAuthority)
    }

    private static func reactions(hub: Hub, chat: Chat, events: Events) -> BuddyHandlers {
        BuddyHandlers(
            opened: { await chat.directChanged($0, accounts: $1, isOpen: true) },
            closed: { await chat.directChanged($0, accounts: $1, isOpen: false) },
            uninvited: { await chat.notifyRemoved($0, [$1]) },
            blockChanged: { one, other, isOn in
                await hub.blocks.set(one, other, isOn: isOn)
                // A participant may now move up from the waiting list. The block does not wait for it.
                if isOn { Task { try? await events.publishPendingChanges() } }
            },
            reported: { await chat.notifyAdmins(UserSignal(type: .report), except: $0) })
    }
}
