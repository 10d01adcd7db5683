/// The numbered files that came before the baselines, `0001_accounts.sql` to `0045_push_tokens.sql`. No release has them any more.
///
/// A database that all of them were applied to has the schema of the baselines. The migrator takes it over: it replaces the rows in
/// `schema_migrations` and runs none of the baselines.
enum FormerHistory {
    /// Number of the newest baseline.
    static let newestBaseline: Int64 = 17
    /// Name of the newest former file.
    static var newestName: String { files.last?.name ?? "" }

    /// Names and checksums, in order.
    static let files: [(name: String, checksum: String)] = [
        ("0001_accounts.sql", "550595cb1718fe30e54501d7c862086bcc0bf3db33f34d1aa0fdeb392663560c"),
        ("0002_campus.sql", "ac867ccd5092ea15c1b7171f05498a87445237148974e0341b8b5b251f48f8ab"),
        ("0003_tracking.sql", "349f9212427b4b2de14e5be2865219aed22b44df7587d9bb9cf7014dc565de37"),
        ("0004_publications.sql", "eff5186eb84a9b1608446325c949dc0950387074885112bb08c8e68379c1179d"),
        ("0005_session_homes.sql", "760ed13cc4d72b2e10e82c4ee76c4e79ab15fa032b782b03ba07845f7d5c4719"),
        ("0006_pictures.sql", "1c00adab31485a4818febab914ddc0e27aad901eb04909a19bc4fb3b2f930bb1"),
        ("0007_buddies.sql", "689ad96e004d2c7c13424ab8631e412f4c5364c452c28e7d59e830baa64ef0ce"),
        ("0008_chat.sql", "de7fcdb8f7ff364c4bec223ceda45c938acb91623c3e203a1d427380538d1210"),
        ("0009_chat_post.sql", "e575801704a6e32c9d1c8ffebdd506b2595ab2bb24d637a346cc826ce0d20dea"),
        ("0010_evidence.sql", "69723bd3c8bf07e4445a2409243f6ca8db07a64940fe80f108b895a85e8a25be"),
        ("0011_blocks.sql", "50a0df6f98cf7ce7ade7c9fc45f740e6a9be3c1bca2f97fd009ebb05db4d503f"),
        ("0012_chat_search.sql", "b64603bd873e0e4f87533a69dba911de23373001b3130502905d4898d4648982"),
        ("0013_events.sql", "ac711a8a77cdba5ec43e6913691f2e4824888e3be33848705b19c20c98d81f73"),
        ("0014_event_upkeep.sql", "e5d9b389e2321cd85b328a49bc73a23c823c63457bed33d01240b0f3e55ba9de"),
        ("0015_notices.sql", "198a1185bf4b652101f330e29991c3ea183093aa98267e1643526612c922ecaa"),
        ("0016_reminders.sql", "41d8768b29f1d6f0fd5edcc4f186809337b375d2f4de80db45de1df13f8c9b0d"),
        ("0017_admin.sql", "9ec712d03e7e378a076b2ca95df0a85cea187d8f509ab45adaed36c5106b3870"),
        ("0018_goals.sql", "dec7ca9d27e7bae9c7c69ae29b6c5ca3a23845bd3b7af79712ffa6c88a5bb276"),
        ("0019_notice_reminders.sql", "221d1cc97a651763d6634b005834e663b3f72df830160e26263456f79d890c3b"),
        ("0020_reminder_order.sql", "586040fd9cd50e4c83d87d4bf24d3ed56e46d15885f41079052428357b4a2e83"),
        ("0021_leaving.sql", "1d540a60de5015d9f0975c3c197687e3e6ca2af6557b23b8ace81c781689d57d"),
        ("0022_shares.sql", "ddc63d62f7ad2e17f5adea20fd575243a1b1d0deb21f4dc4c5985ca878d6b04e"),
        ("0023_privacy.sql", "aaa321be03d16cf20eecfd849007e759363378be109bf6bd71ded1bd7a585ad9"),
        ("0024_personal.sql", "c1744ce7bb2f7424b92b6d7fdc34af06bbd143806974487252c086dea0e6ebda"),
        ("0025_notice_privacy.sql", "fb33934768696e3cbf97325621e0b57111d9f9f0a2413cc3921e8cfbc1f94b4d"),
        ("0026_shown_names.sql", "f72a2139be5b62e41a4be691c7350e8ee72fa4ed33602deda29704fce7e75b11"),
        ("0028_share_invitations.sql", "11aaff90553ccbacbbcd400ab75ed07f25fa3076d7e6294727d158eae910bfc7"),
        ("0029_hidden_ends.sql", "6cb44d51d81a14342fcb20c86797bf335b6176207ef9be84b4561692c3db3ac9"),
        ("0030_campus_zones.sql", "d8e112cffcae67f75584f2459d8c2a8920a8561e1c005afcd2044a73f7c18e4c"),
        ("0031_grants.sql", "e50877660bc43aaf85b4d2534c269f98ca4aeaeba3d319181ba852d7ae57b3b0"),
        ("0034_nodes.sql", "854809cd7237a45ee538da1fe07931abe98a5555a152b247c00d82142d75e98b"),
        ("0037_restore.sql", "5e57602fb427186ca9aa02b32d35b7b37795165078c76618c79431dfc9349ccb"),
        ("0038_chat_post_plans.sql", "0608278b8e0ee408de7f9a97cd812a5f0eb08dd4dc5c13a58bd064cd81921daa"),
        ("0039_statistics.sql", "84d42be70408d2e9b2486b29fea4d2bdb6c540387664b9f3d1426c9750d312f9"),
        ("0040_share_lines.sql", "491143c3e6fe1b803fb812ae1145147b74355b767d4610a458fed852467581a1"),
        ("0041_revoked_ends.sql", "5b014f293f42e0b7e1e44eee241359af614c08daf569c347a867c04616c90496"),
        ("0042_restore_keys.sql", "6a179590218fedf63a4858bd3e58fe5772deff16dc353f5452b841cba71a049e"),
        ("0043_statistics_growth.sql", "842f3b5ff62fb1c23e91d030fa4f8d6ce4585d132170b7775fed70bcba7a3b15"),
        ("0044_reminder_locks.sql", "6e120bd92cb888c83a6581d4ce8b5380a7ffe98c9c307e39c817def29d3241e6"),
        ("0045_push_tokens.sql", "cde83865bffc381742a7eee619ec977805d03ef2cf9829caeba808ba617133b9"),
    ]

    private static let checksums = Set(files.map(\.checksum))

    /// Whether exactly these files were applied.
    static func isComplete(_ applied: [AppliedMigration]) -> Bool {
        applied.map(\.name) == files.map(\.name) && applied.map(\.checksum) == files.map(\.checksum)
    }

    /// Whether any of these files was applied.
    static func isBegun(_ applied: [AppliedMigration]) -> Bool {
        applied.contains { checksums.contains($0.checksum) }
    }
}
