import Campus
import Hub
import HubCore
import Services
import WebSocket
import Wire

extension Router {
    /// Adds all methods of the Protocol article.
    mutating func addAll(
        _ services: ServiceSet, versions: ServerVersions, figures: Figures? = nil,
        registration: RegistrationPolicy = .open
    ) {
        addConnection(services, versions, registration)
        addAccounts(services, registration)
        addProfiles(services)
        addOpenID(services, registration)
        addSecondFactors(services)
        addTracking(services)
        addSharing(services)
        addShares(services.sharing)
        addSubscriptions(services)
        addPublications(services.publications)
        addChat(services.chat, services.hub)
        addBuddies(services.buddies, services.safety, services.hub)
        let people = services.people
        addForAccount(PeopleKnown.self) { identity, _ in try await people.known(to: identity) }
        addEvents(services.events)
        addGoals(services.goals)
        addNotices(services.notices, services.hub)
        addAdmin(services, figures)
        addReminders(services.reminders, services.hub)
        addPersonalData(services.personalData, services.personalPlaces)
        addPrivacy(services.privacy)
        addHeatmap(services.heatmap)
        addSearch(services.search, services.placePages)
        addRoutes(services.routes)
        addTogether(services.together)
        addTraining(services.training)
    }

    private mutating func addConnection(
        _ services: ServiceSet, _ versions: ServerVersions, _ registration: RegistrationPolicy
    ) {
        let limits = limits
        add(Hello.self) { caller, params in
            if let client = params.client {
                caller.clientName = [client.name, client.version ?? ""].joined(separator: " ")
                caller.platform = client.platform
            }
            // With an invalid token the connection remains without `hello`: the client must decide whether to continue as a guest.
            var next: String?
            if let token = params.token {
                let identity = try await limits.countingInvalidTokens(of: caller) {
                    try await services.accounts.authenticate(token: token, client: caller.client)
                }
                await Self.signIn(caller, as: identity, services.hub)
                if params.rotates == true { next = try await services.accounts.rotate(token, of: identity) }
            }
            caller.isOutdated = (params.protocolVersion ?? 1) < versions.oldestProtocol
            caller.hasSentHello = true
            return Hello.Result(
                account: caller.identity?.account, token: next, serverTime: .now, version: versions.server,
                webApp: versions.webApp, isOutdated: caller.isOutdated ? true : nil,
                campus: services.campus.snapshot.info)
        }
        add(Ping.self) { _, _ in Ping.Result(serverTime: .now) }
        let methods = APIRegistry.methods.map { $0.name }.sorted()
        add(ServerInfo.self) { _, _ in
            ServerInfo.Result(
                version: versions.server, campus: services.campus.snapshot.info.name,
                isRegistrationOpen: registration == .open, methods: methods)
        }
        add(CampusInfoGet.self) { _, _ in services.campus.snapshot.info }
        add(CampusLocate.self) { _, params in
            let id = services.campus.zone(at: LatLon(params.lat, params.lon))
            return CampusLocate.Result(zone: services.campus.snapshot.info.zones.first { $0.id == id })
        }
    }

    /// Continues a connection with its account as it is now.
    static func refreshed(_ caller: any Caller, _ own: OwnAccount, _ hub: Hub) async throws -> OwnAccount {
        let identity = try caller.requireIdentity()
        if identity.account != own.account {
            await signIn(caller, as: identity.with(own.account), hub)
        }
        return own
    }

    /// Signs a connection in. Subscriptions of another account on the connection end.
    static func signIn(_ caller: any Caller, as identity: Identity, _ hub: Hub) async {
        if let before = caller.identity, before.account.id != identity.account.id, let subscriber = caller.subscriber {
            await hub.disconnect(subscriber)
        }
        let wasGuest = caller.hasSentHello && caller.identity == nil
        caller.become(identity)
        // A guest's subscriptions continue, except those to people that a block hides from the account.
        if wasGuest, let subscriber = caller.subscriber { await hub.signIn(subscriber, as: identity.account.id) }
    }

    private mutating func addAccounts(_ services: ServiceSet, _ registration: RegistrationPolicy) {
        let (accounts, hub) = (services.accounts, services.hub)
        let limits = limits
        add(AccountRegister.self) { caller, params in
            // `Accounts` throttles guesses of the key.
            if params.simulationKey == nil {
                guard registration == .open else { throw RegistrationPolicy.refusal }
                try limits.use(.register, by: caller)
            }
            // A request over HTTP does not use the new account further: its first use is the next request.
            let (signedIn, identity) = try await accounts.register(
                params, address: caller.address, client: caller.client, isSeen: caller.subscriber != nil)
            await Self.signIn(caller, as: identity, services.hub)
            return signedIn
        }
        add(AccountLogin.self) { caller, params in
            let device = try await accounts.knownDevice(params)
            // Floods from a shared address do not lock out a device that has signed in before.
            if let device { try limits.use(.device, of: device) } else { try limits.use(.login, by: caller) }
            let (signedIn, identity) = try await accounts.login(
                params, address: caller.address, client: caller.client, device: device)
            await Self.signIn(caller, as: identity, services.hub)
            return signedIn
        }
        add(AccountMe.self) { caller, _ in
            try await Self.refreshed(caller, try await accounts.own(try caller.requireIdentity()), hub)
        }
        addForAccount(AccountDevices.self) { identity, _ in
            AccountDevices.Result(devices: try await accounts.devices(of: identity))
        }
        addForAccount(AccountLogout.self) { identity, params in
            Revoked(revoked: try await accounts.logout(identity, device: params.device))
        }
        addForAccount(AccountChangePassword.self) { Revoked(revoked: try await accounts.changePassword($0, $1)) }
        add(AccountRequestReset.self) { _, params in
            try await accounts.requestReset(params)
            return Empty()
        }
        add(AccountReset.self) { caller, params in
            let reset = try await accounts.reset(params, address: caller.address, client: caller.client)
            // As below: no device is signed in that could clear a pin, which a thief may have set.
            await hub.shares.clearLocation(of: reset.account)
            return Revoked(revoked: reset.devices)
        }
        add(AccountSendConfirmation.self) { caller, _ in
            try await accounts.sendConfirmation(try caller.requireIdentity())
        }
        add(AccountConfirmEmail.self) { caller, params in
            let own = try await accounts.confirmEmail(try caller.requireIdentity(), params)
            await hub.signals.publish([AccountSignal(own.account.id, UserSignal(type: .account))], by: 0)
            return try await Self.refreshed(caller, own, hub)
        }
        add(AccountChangeEmail.self) { caller, params in
            let own = try await accounts.changeEmail(try caller.requireIdentity(), params)
            await hub.signals.publish([AccountSignal(own.account.id, UserSignal(type: .account))], by: 0)
            return try await Self.refreshed(caller, own, hub)
        }
        addForAccount(AccountLogoutEverywhere.self) { identity, _ in
            // After the commit no signed-in device can report the location or clear a pin. The location is cleared first, so that it is
            // cleared even if the reply to the commit is lost, and so that the caller's connection, which closes soon after the commit,
            // still gets its reply.
            let account = identity.account.id
            await hub.shares.clearLocation(of: account)
            let revoked = Revoked(revoked: try await accounts.logoutEverywhere(identity))
            // Clears a location that was reported in the meantime.
            Task { await hub.shares.clearLocation(of: account) }
            return revoked
        }
    }

    private mutating func addTracking(_ services: ServiceSet) {
        let tracking = services.tracking
        addForAccount(TrackingStart.self) { try await tracking.start($0, $1) }
        addPoints(
            inline: { caller, params, completion in
                tracking.storePointsInline(try caller.requireIdentity(), params, completion)
            }, { try await tracking.points(try $0.requireIdentity(), $1) })
        addForAccount(TrackingPause.self) { try await tracking.pause($0, $1) }
        addForAccount(TrackingResume.self) { try await tracking.resume($0, $1) }
        let goals = services.goals
        addForAccount(TrackingStop.self) { identity, params in
            let stopped = try await tracking.stop(identity, params)
            Task { try? await goals.sessionEnded(of: identity.account.id) }
            return stopped
        }
        addForAccount(TrackingCurrent.self) { identity, _ in
            TrackingCurrent.Result(sessions: try await tracking.current(identity))
        }
        addForAccount(TrackingHistory.self) { try await tracking.history($0, $1) }
        add(TrackingSession.self) { try await tracking.session($0.identity, $1) }
        addForAccount(TrackingRename.self) { try await tracking.rename($0, $1) }
        addForAccount(TrackingDelete.self) { try await tracking.delete($0, $1) }
    }

    private mutating func addSharing(_ services: ServiceSet) {
        let tracking = services.tracking
        addForAccount(TrackingAudience.self) { try await tracking.setAudience($0, $1) }
        addForAccount(TrackingLink.self) {
            TrackingLink.Result(link: try await tracking.makeLink($0, $1))
        }
        addForAccount(TrackingLinks.self) {
            TrackingLinks.Result(links: try await tracking.links($0, $1))
        }
        addForAccount(TrackingUnlink.self) { try await tracking.unlink($0, $1) }
    }

    private mutating func addSubscriptions(_ services: ServiceSet) {
        let requiresConfirmation = requiresConfirmation
        addRaw(Subscribe.self) { caller, request in
            try await SubscriptionRequest(caller, request, services, requiresConfirmation: requiresConfirmation).run()
            return nil
        }
        addRaw(
            PositionsView.self,
            inline: { caller, request in
                guard services.hub.loop.isCurrent else { return false }
                let view = try Self.view(caller, request)
                return services.hub.sessions.viewInline(
                    view.subscriber, view.port, encoding: view.encoding, viewer: view.viewer, reply: view.reply)
            },
            { caller, request in
                let view = try Self.view(caller, request)
                await services.hub.sessions.view(
                    view.subscriber, view.port, encoding: view.encoding, viewer: view.viewer, reply: view.reply)
                return nil
            })
        add(Unsubscribe.self) { caller, params in
            let (subscriber, topic) = try Self.target(caller, params.topic)
            await services.hub.unsubscribe(subscriber, topic: topic)
            return SubscribedTopic(topic: params.topic)
        }
    }

    private mutating func addPublications(_ publications: Publications) {
        if publications.hasTestTopics {
            add(TestPublish.self) { try await publications.publish($1, by: $0.identity) }
        }
        addRaw(TopicHistory<NoticeEvent>.self) { _, request in
            let params = try request.params(TopicHistory<NoticeEvent>.Params.self)
            let page = try await publications.history(
                topic: params.topic, before: params.before, limit: params.limit)
            return request.id.map { Self.success($0, result: page) }
        }
    }

    /// Reply around a result that is JSON already.
    static func success(_ id: RequestID, result: [UInt8]) -> [UInt8] {
        let number: [UInt8] = if case .number(let number) = id { Array("\(number)".utf8) } else { json(id) }
        return Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8) + number + Array(",\"result\":".utf8) + result
            + [UInt8(ascii: "}")]
    }

    static let needsWebSocket = RPCError(.conflict, "topics need a WebSocket connection: GET /ws")

    /// A `positions.view` request.
    private struct ViewRequest {
        let subscriber: any Subscriber
        let viewer: Viewer
        let port: Viewport?
        let encoding: PositionEncoding
        let id: RequestID

        /// Writes `PositionsView.Result` by hand, because moving maps request it constantly and names of cells need no escaping.
        @Sendable func reply(_ cells: [Cell]) -> [UInt8] {
            var result = Array("{\"topics\":[".utf8)
            for cell in cells {
                result.append(contentsOf: result.last == UInt8(ascii: "\"") ? ",\"".utf8 : "\"".utf8)
                result.append(contentsOf: Topic.cellPositions(cell).description.utf8)
                result.append(UInt8(ascii: "\""))
            }
            result.append(contentsOf: "]}".utf8)
            return Router.success(id, result: result)
        }
    }

    private static func view(_ caller: any Caller, _ request: RawRequest) throws -> ViewRequest {
        let params = try request.viewParams()
        guard let subscriber = caller.subscriber else { throw Self.needsWebSocket }
        guard let id = request.id else { throw RPCError(.invalidRequest, "positions.view needs an id", field: "id") }
        return ViewRequest(
            subscriber: subscriber, viewer: caller.viewer, port: try viewport(params),
            encoding: params.encoding ?? .json, id: id)
    }

    private static func viewport(_ params: PositionsView.Params) throws -> Viewport? {
        guard let box = params.box else { return nil }
        guard box.count == 4 else { throw RPCError.invalid("box", "is south, west, north, east") }
        guard let zoom = params.zoom, (0...24).contains(zoom) else { throw RPCError.invalid("zoom", "must be 0 to 24") }
        do {
            return Viewport(
                box: try GeoBox(south: box[0], west: box[1], north: box[2], east: box[3]), zoom: zoom)
        } catch {
            throw RPCError.invalid("box", "\(error)")
        }
    }

    static func target(_ caller: any Caller, _ name: String) throws -> (any Subscriber, Topic) {
        guard let subscriber = caller.subscriber else { throw needsWebSocket }
        guard let topic = Topic(name) else {
            throw RPCError.invalid("topic", "is not a topic, such as zone/7/positions, session/42 or campus/notices")
        }
        return (subscriber, topic)
    }

    static func json(_ reply: some Encodable) -> [UInt8] { (try? WireJSON.encode(reply)) ?? [] }
}
