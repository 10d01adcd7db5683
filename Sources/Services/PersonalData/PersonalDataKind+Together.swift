/// Kinds of data of live groups. The progress of members is in memory only.
extension PersonalDataKind {
    static let together: [PersonalDataKind] = [
        PersonalDataKind(
            name: "liveGroups",
            sql: """
                SELECT id, workout_id AS workout, plan, conversation_id AS conversation, event_id AS event, created_at, ended_at
                FROM live_groups WHERE host_id = $1 ORDER BY created_at, id
                """,
            tables: ["live_groups"], days: Int(Together.keptDays)),
        PersonalDataKind(
            name: "liveGroupMemberships",
            sql: """
                SELECT m.group_id AS live_group, CASE WHEN NOT is_blocked(g.host_id, $1) THEN h.username END AS host, m.state,
                    m.shares_zone, m.since, m.joined_at, m.left_at
                FROM live_group_members m JOIN live_groups g ON g.id = m.group_id JOIN accounts h ON h.id = g.host_id
                WHERE m.account_id = $1 ORDER BY m.since, m.group_id
                """,
            tables: ["live_group_members"], days: Int(Together.keptDays)),
    ]
}
