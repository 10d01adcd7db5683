import Services
import Wire

extension Router {
    /// Adds reminders. What sends something is limited by the service, in the database: by account and by address.
    mutating func addReminders(_ reminders: Reminders) {
        add(RemindersSettings.self) { caller, _ in try await reminders.settings(of: try caller.requireIdentity()) }
        add(RemindersSaveSettings.self) { try await reminders.save($1, of: try $0.requireIdentity()) }
        add(RemindersSetAddress.self) { try await reminders.setAddress($1, of: try $0.requireIdentity()) }
        add(RemindersConfirm.self) { try await reminders.confirm($1, of: try $0.requireIdentity()) }
        add(RemindersRemoveAddress.self) { try await reminders.removeAddress($1, of: try $0.requireIdentity()) }
        add(RemindersPushKey.self) { caller, _ in
            _ = try caller.requireIdentity()
            return try await reminders.pushKey()
        }
        add(RemindersSubscribePush.self) { try await reminders.subscribe($1, of: try $0.requireIdentity()) }
        add(RemindersUnsubscribePush.self) { try await reminders.unsubscribe($1, of: try $0.requireIdentity()) }
        add(RemindersTest.self) { try await reminders.test($1, of: try $0.requireIdentity()) }
    }
}
