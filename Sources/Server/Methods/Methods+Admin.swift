import Services
import Wire

extension Router {
    /// Adds the methods for admins, and `places.list`, which everybody may call.
    mutating func addAdmin(_ services: ServiceSet, _ figures: Figures?) {
        addAdminUsers(services)
        addPlaces(services.places)
        let audit = services.audit
        addForAccount(AdminAudit.self) { try await audit.list($1, for: $0) }
        add(AdminFiguresGet.self) { _, _ in
            guard let figures else { throw RPCError(.unavailable, "figures are not ready: ask again", retryAfter: 1) }
            return try await figures.figures()
        }
    }

    private mutating func addAdminUsers(_ services: ServiceSet) {
        let admin = services.administration
        let accounts = services.accounts
        addForAccount(AdminUsers.self) { _, params in try await admin.users(params) }
        addForAccount(AdminUserGet.self) { try await admin.user($1, by: $0) }
        addForAccount(AdminAddUser.self) { try await admin.addUser($1, by: $0) }
        addForAccount(AdminWelcomeUser.self) { try await admin.welcomeUser($1, by: $0) }
        add(AccountAccept.self) { caller, params in
            let (signedIn, identity) = try await accounts.accept(params, client: caller.client)
            await Self.signIn(caller, as: identity, services.hub)
            return signedIn
        }
        addForAccount(AdminEditUser.self) { try await admin.editUser($1, by: $0) }
        addForAccount(AdminDisableUser.self) { try await admin.disableUser($1, by: $0) }
        addForAccount(AdminEnableUser.self) { try await admin.enableUser($1, by: $0) }
        addForAccount(AdminSignOutUser.self) { try await admin.signOutUser($1, by: $0) }
        addForAccount(AdminSendReset.self) { try await admin.sendReset($1, by: $0) }
        addForAccount(AdminResetSecondFactor.self) { try await admin.resetSecondFactor($1, by: $0) }
        addForAccount(AdminDeleteUser.self) { try await admin.deleteUser($1, by: $0) }
    }

    private mutating func addPlaces(_ places: Places) {
        add(PlacesList.self) { try await places.list($1) }
        addForAccount(AdminSavePlace.self) { try await places.save($1, by: $0) }
        addForAccount(AdminDeletePlace.self) { try await places.delete($1, by: $0) }
        addForAccount(AdminSaveZone.self) { try await places.save($1, by: $0) }
        addForAccount(AdminDeleteZone.self) { try await places.delete($1, by: $0) }
    }
}
