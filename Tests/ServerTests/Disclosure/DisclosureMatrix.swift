import Wire

@testable import Hub
@testable import Server

/// What each outlet may disclose, by source. A source that a row leaves out is disclosed to nobody but the caller about themselves.
enum DisclosureMatrix {
    typealias Row = [InformationSource: DisclosureRule]

    /// Whether an attacker of this relation may learn a secret of this source from the outlet.
    static func allows(_ outlet: String, _ source: InformationSource, _ relation: Relation) -> Bool {
        rows[outlet]?[source]?.admits.contains(relation) ?? false
    }

    static let rows: [String: Row] = {
        var rows: [String: Row] = [:]
        for group in [
            connection, tracking, topics, chat, buddies, events, notices, admin, personal, training, shares, liveGroups,
            paths,
            others,
        ] {
            rows.merge(group) { _, _ in preconditionFailure("an outlet has two rows") }
        }
        return rows
    }()

    /// Discloses nothing about anybody but the caller.
    private static func own(_ names: String...) -> [String: Row] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, [:]) })
    }

    private static func all(_ names: String..., are row: Row) -> [String: Row] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, row) })
    }

    private static func together(_ parts: [String: Row]...) -> [String: Row] {
        parts.reduce(into: [:]) { $0.merge($1) { _, _ in preconditionFailure("an outlet has two rows") } }
    }

    private static let connection = together(
        own(
            "ping", "server.info", "unsubscribe", "account.register", "account.login", "account.accept", "account.me",
            "account.devices",
            "account.logout", "account.logoutEverywhere", "account.changePassword", "account.requestReset",
            "account.passkeys", "account.beginPasskey", "account.addPasskey", "account.renamePasskey",
            "account.removePasskey", "account.beginPasskeyProof", "account.beginPasskeyLogin", "account.passkeyLogin",
            "account.secondFactors", "account.beginTOTP", "account.confirmTOTP", "account.removeTOTP",
            "account.makeRecoveryCodes", "account.secondFactor",
            "account.reset", "account.sendConfirmation", "account.confirmEmail", "account.changeEmail", "account.data",
            "account.delete", "account.profile", "account.updateProfile", "account.settings", "account.saveSettings",
            "account.finishOpenID", "account.registerOpenID", "account.providers", "account.connectOpenID",
            "account.disconnectOpenID"),
        all("hello", are: [.location: .campus, .identity: .own]),
        all(
            "campus.info", "campus.locate", "places.list", "search.find", "places.nearby", "admin.delegatePlace",
            are: [.location: .campus]),
        all(
            "places.page", "places.edit",
            are: [.location: .heatmap, .identity: .directory, .activity: .event, .content: .campus]))

    private static let tracking = together(
        own(
            "tracking.start", "tracking.points", "tracking.pause", "tracking.resume", "tracking.stop",
            "tracking.current",
            "tracking.history", "tracking.audience", "tracking.link", "tracking.links", "tracking.unlink",
            "tracking.rename",
            "tracking.delete"),
        all(
            "tracking.session",
            are: [.location: .visibleRun, .activity: .visibleRun, .identity: .shownName, .content: .visibleRun]),
        own("positions.view"), all("heatmap.along", are: [.location: .heatmap]),
        // A route leads to a person who shares the exact location with the caller, and shows the published heatmap.
        all(
            "routes.find", "routes.walk", "routes.move", "routes.resume",
            are: [.location: .share, .presence: .heatmap, .content: .campus]),
        own("routes.end"), all("routes.closures", "places.floors", are: [.location: .campus]))

    /// Topics are rows of their own; `subscribe` answers with their snapshots.
    private static let topics = together(
        all(
            "session/<id>",
            are: [
                .location: .visibleRun, .presence: .visibleRun, .activity: .visibleRun, .identity: .shownName,
                .content: .visibleRun,
            ]),
        all(
            "zone/<id>/positions", "cell/<zoom>/<x>/<y>",
            are: [.location: .visibleRun, .activity: .visibleRun, .identity: .shownName, .content: .visibleRun]),
        all("notices", are: [.content: .notice, .identity: .notice]),
        all("campus/notices", "zone/<id>/notices", "topic.history", are: [.content: .notice, .identity: .notice]),
        all(
            "chat/<id>",
            are: [
                .content: .conversation, .identity: .shownName, .receipts: .receipts, .presence: .receipts,
                .location: .share,
            ]),
        own("user/<id>", "test/<n>", "test.publish"),
        all("heatmap", are: [.location: .heatmap]),
        all("route/<id>", are: [.location: .share, .presence: .heatmap, .content: .campus]),
        all("share/<id>", are: [.location: .share, .identity: .shownName]),
        all("people/<x>/<y>", are: [.location: .share, .identity: .shownName]))

    private static let chat = together(
        all(
            "chat.list", "chat.conversation", "chat.history", "chat.search",
            are: [.content: .conversation, .identity: .shownName, .receipts: .receipts]),
        own(
            "chat.send", "chat.edit", "chat.delete", "chat.react", "chat.read", "chat.delivered", "chat.typing",
            "chat.mute",
            "chat.settings", "chat.saveSettings", "group.create", "group.rename", "group.invite", "group.answer",
            "group.leave", "group.remove", "group.role"))

    private static let buddies = together(
        own(
            "profile.get", "profile.save", "buddies.options", "buddies.agree", "buddies.me", "buddies.save",
            "buddies.decide"),
        own("buddies.remove", "safety.block", "safety.unblock", "safety.report"),
        all("buddies.deck", "buddies.card", are: [.identity: .card, .content: .card]),
        all("buddies.list", are: [.identity: .shownName, .content: .conversation]),
        all("safety.blocked", "people.known", are: [.identity: .shownName]),
        all("reports.list", "reports.close", are: [.identity: .report, .content: .report]))

    private static let events = together(
        own(
            "events.options", "events.delete", "events.calendar", "events.calendarOff", "goals.get", "goals.save",
            "goals.reset"),
        all(
            "events.list", "events.get", "events.create", "events.publish", "events.update", "events.cancel",
            "events.answer",
            "events.save", "events.suggested",
            are: [.content: .event, .activity: .event, .identity: .shownName, .location: .campus]),
        all("events.invite", are: [.activity: .counts]),
        all("events.people", are: [.activity: .guestList, .identity: .shownName]))

    private static let notices = together(
        all(
            "notices.publish", "notices.correct", "notices.withdraw", "notices.status", "notices.sent",
            are: [.receipts: .counts, .content: .notice, .identity: .notice]),
        all("notices.preview", are: [.receipts: .counts]),
        all("notices.list", are: [.content: .notice, .identity: .notice]),
        own("notices.received", "notices.read", "notices.settings", "notices.saveSettings"))

    private static let admin = together(
        all(
            "admin.users", "admin.user", "admin.addUser", "admin.welcomeUser", "admin.editUser", "admin.disableUser",
            "admin.enableUser", "admin.resetSecondFactor",
            are: [.identity: .directory, .activity: .directory, .presence: .directory, .content: .report]),
        own("admin.signOutUser", "admin.sendReset", "admin.deleteUser"),
        all("admin.closures", "admin.saveClosure", are: [.location: .campus, .identity: .directory]),
        all("admin.closable", are: [.location: .campus]), own("admin.endClosure"),
        all("admin.savePlace", "admin.deletePlace", "admin.saveZone", "admin.deleteZone", are: [.location: .campus]),
        all("admin.figures", are: [.presence: .figures, .activity: .figures]),
        all("admin.audit", are: [.identity: .directory, .content: .directory]))

    private static let personal = together(
        own(
            "saved.list", "saved.save", "saved.remove", "searches.note", "searches.list", "searches.erase",
            "visits.most",
            "visits.erase", "privacy.settings", "privacy.saveSettings", "privacy.zones", "privacy.saveZone",
            "privacy.deleteZone"),
        own(
            "reminders.settings", "reminders.saveSettings", "reminders.setAddress", "reminders.confirm",
            "reminders.removeAddress", "reminders.pushKey", "reminders.subscribePush", "reminders.unsubscribePush",
            "reminders.test"))

    /// Body data, trainings and analytics are the caller's own. A workout from a buddy names that buddy.
    private static let training = together(
        own(
            "body.get", "body.save", "body.confirm", "body.saveInjury", "body.removeInjury", "body.weights",
            "body.saveWeight", "body.removeWeight"),
        own("exercises.search", "exercises.get", "workouts.remove", "workouts.share"),
        all(
            "workouts.list", "workouts.get", "workouts.save", "workouts.copy", "workouts.schedule",
            are: [.identity: .shownName, .content: .buddyCopy]),
        all("workouts.recommend", are: [.location: .campus]),
        own(
            "training.start", "training.record", "training.takeOver", "training.finish", "training.current",
            "training.list", "training.get", "training.edit", "training.recalculate", "training.remove"),
        all("insights.get", are: [.content: .event]), own("insights.saveGoals", "insights.saveDay"))

    private static let shares = together(
        own("location.report", "location.mine", "location.clear", "sharing.stopAll", "sharing.erasePast"),
        all(
            "sharing.start", "sharing.change", "sharing.stop", "sharing.mine", "sharing.receipt", "sharing.past",
            are: [.presence: .share, .identity: .shownName]),
        all("sharing.withMe", "sharing.respond", are: [.location: .share, .identity: .shownName]),
        all(
            "sharing.ask", "sharing.requests", "sharing.answer", "sharing.answered",
            are: [.location: .whereAnswer, .identity: .shownName]))

    private static let liveGroups = together(
        own("together.leave", "together.update", "together.end"),
        all(
            "together.create", "together.invite", "together.join", "together.remove", "together.list", "workout/<id>",
            are: [.activity: .liveGroup, .presence: .liveGroup, .identity: .liveGroup, .content: .liveGroup]))

    /// Paths of HTTP that are no method.
    private static let paths = together(
        own(
            "GET /", "GET /healthz", "GET /readyz", "GET /config.json", "GET /unsubscribe/<token>",
            "GET /account/data.json"),
        own("GET /account/tracks.gpx", "POST /pictures"),
        all("GET /campus/map.geojson", are: [.location: .campus]),
        all("GET /pictures/<id>", are: [.identity: .picture, .content: .picture]),
        all("GET /calendar/<token>.ics", are: [.content: .event]),
        all("GET /metrics", are: [.presence: .figures, .activity: .figures]))

    /// What leaves the server otherwise.
    private static let others = together(
        all("push", "email", "text", are: [.content: .reminder, .identity: .reminder, .activity: .reminder]),
        own("account mail", "error", "close code", "log"))
}
