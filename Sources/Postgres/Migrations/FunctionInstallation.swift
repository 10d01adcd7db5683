import Logging

/// Applies files of functions to a database and records their names and checksums in `schema_functions`.
struct FunctionInstallation {
    /// A row of `schema_functions`.
    struct Applied: Sendable {
        let name: String
        let checksum: String
        /// In milliseconds since 1970-01-01T00:00:00Z.
        let at: Int64
    }

    static let table = """
        CREATE TABLE IF NOT EXISTS public.schema_functions (
            name text PRIMARY KEY,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """

    let files: [FunctionFile]
    let connection: PostgresConnection
    let logger: Logger

    func readApplied() async throws -> [Applied] {
        try await connection.query("SELECT name, checksum, applied_at FROM public.schema_functions").map { row in
            Applied(name: try row.text("name"), checksum: try row.text("checksum"), at: try row.timestamp("applied_at"))
        }
    }

    /// The files that differ from the applied ones.
    static func pending(_ files: [FunctionFile], _ applied: [Applied]) -> [FunctionFile] {
        files.filter { file in !applied.contains { $0.name == file.name && $0.checksum == file.checksum } }
    }

    /// Applies the files that differ from the applied ones, in one transaction, and revokes the functions that are only for the owner.
    ///
    /// Bodies are checked after the last file: a function may call one of a later file.
    /// - Returns: The files applied by this call.
    /// - Throws: ``MigrationError``, ``PostgresError``. The connection must then be closed, which rolls back.
    func apply() async throws -> [FunctionFile] {
        let applied = try await readApplied()
        let pending = Self.pending(files, applied)
        try await connection.committing {
            if !pending.isEmpty {
                try await connection.script("SET LOCAL check_function_bodies = off")
                for file in pending { try await run(file) }
                try await checkSignatures()
                try await checkBodies()
            }
            // The functions of a file that is gone stay until a numbered migration drops them.
            _ = try await connection.query(
                "DELETE FROM public.schema_functions WHERE name <> ALL ($1)", [.textArray(files.map(\.name))])
            try await SchemaRights.revokeOwnerOnlyFunctions(connection)
        }
        for file in pending { logger.notice("\(file.path) applied") }
        return pending
    }

    private func run(_ file: FunctionFile) async throws {
        do {
            try await connection.script(file.sql)
        } catch PostgresError.server(let sqlState, let message, _) where Self.signatureChanged.contains(sqlState) {
            throw MigrationError.signatureChanged(reason: "\(file.path) was not applied: \(message)")
        } catch let error as PostgresError {
            throw MigrationError.failed(name: file.path, error: error)
        }
        _ = try await connection.query(
            """
            INSERT INTO public.schema_functions (name, checksum) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = now()
            """, [.text(file.name), .text(file.checksum)])
    }

    /// `invalid_function_definition` and `invalid_table_definition`: PostgreSQL refuses to replace a function by one with another result,
    /// or a view by one with other columns.
    private static let signatureChanged: Set = ["42P13", "42P16"]

    /// A function with other parameters does not replace the former one: PostgreSQL keeps both, and a call may take either.
    private func checkSignatures() async throws {
        let row = try await connection.query(
            """
            SELECT string_agg(p.oid::regprocedure::text, ' and ' ORDER BY p.oid) AS names FROM pg_proc p
            WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = current_user::regrole AND NOT EXISTS (
                SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
            GROUP BY p.proname
            HAVING bool_or(p.xmin = pg_current_xact_id()::xid) AND NOT bool_and(p.xmin = pg_current_xact_id()::xid)
            ORDER BY p.proname LIMIT 1
            """
        ).first
        guard let row else { return }
        throw MigrationError.signatureChanged(
            reason: "the functions were not applied: the database would have \(try row.text("names"))")
    }

    private func checkBodies() async throws {
        do {
            try await connection.script(
                """
                SET LOCAL check_function_bodies = on;
                DO $$
                DECLARE
                    made record;
                BEGIN
                    FOR made IN SELECT p.oid, l.lanvalidator FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
                        WHERE p.pronamespace = 'public'::regnamespace AND p.xmin = pg_current_xact_id()::xid
                            AND l.lanvalidator <> 0
                    LOOP
                        BEGIN
                            EXECUTE format('SELECT %s(%s)', made.lanvalidator::regproc, made.oid);
                        EXCEPTION WHEN OTHERS THEN
                            RAISE EXCEPTION '%: %', made.oid::regprocedure, SQLERRM USING ERRCODE = SQLSTATE;
                        END;
                    END LOOP;
                END $$
                """)
        } catch let error as PostgresError {
            throw MigrationError.invalidFunction(error)
        }
    }
}
