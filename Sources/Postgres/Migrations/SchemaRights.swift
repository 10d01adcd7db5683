/// Rights on the schema. No file of SQL grants any: a restore leaves privileges out, and the server's role has another name elsewhere.
enum SchemaRights {
    /// Comment prefix of functions that only the schema's owner may execute. Backups keep comments.
    static let ownerOnly = "owner only"
    /// Comment prefix of tables where the application may add and read rows, but not change or remove them.
    static let appendOnly = "append-only"
    /// The migrator's tables, which the application may only read.
    private static let historyTables: Set = ["schema_migrations", "schema_functions"]

    /// Revokes execution by everybody from functions that are ``ownerOnly``.
    static func revokeOwnerOnlyFunctions(_ connection: PostgresConnection) async throws {
        let functions = try await connection.query(
            """
            SELECT p.oid::regprocedure::text AS name FROM pg_proc p
            WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = current_user::regrole
                AND obj_description(p.oid, 'pg_proc') ^@ $1
            """, [.text(ownerOnly)])
        for function in functions {
            try await connection.script("REVOKE ALL ON FUNCTION \(try function.text("name")) FROM PUBLIC")
        }
    }

    /// Grants the application access to the objects that the migrating role owns. Tables of extensions have another owner.
    ///
    /// The application may only read the history of migrations, and only read and add to tables that are ``appendOnly``.
    static func grant(_ role: String, _ connection: PostgresConnection) async throws {
        let name = quotedIdentifier(role)
        var statements = ["GRANT USAGE ON SCHEMA public TO \(name)"]
        let relations = try await connection.query(
            """
            SELECT c.relname, c.relkind::text AS kind, coalesce(obj_description(c.oid, 'pg_class') ^@ $1, false) AS is_append_only
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
              AND c.relowner = current_user::regrole
            ORDER BY c.relname
            """, [.text(appendOnly)])
        for relation in relations {
            let relationName = try relation.text("relname")
            let target = "public.\(quotedIdentifier(relationName)) TO \(name)"
            if try relation.text("kind") == "S" {
                statements.append("GRANT USAGE, SELECT ON SEQUENCE \(target)")
            } else if historyTables.contains(relationName) {
                statements.append("GRANT SELECT ON TABLE \(target)")
            } else if try relation.bool("is_append_only") {
                statements.append("REVOKE ALL ON TABLE public.\(quotedIdentifier(relationName)) FROM \(name)")
                statements.append("GRANT SELECT, INSERT ON TABLE \(target)")
            } else {
                statements.append("GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE \(target)")
            }
        }
        try await connection.script(statements.joined(separator: ";\n"))
    }
}
