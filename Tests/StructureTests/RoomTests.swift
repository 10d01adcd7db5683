import Testing

/// Rooms: which areas of the services, and which parts of the hub, may use which. A new one takes its place in the list.
@Suite("Rooms")
struct RoomTests {
    /// Lowest first: an area uses only areas that come before it.
    static let serviceOrder = [
        "Shared", "AccountMail", "Accounts", "OpenID", "Audit", "SecondFactors", "Blocks", "CampusMap", "Publications",
        "Pictures", "Privacy", "Buddies", "Profiles", "Sharing", "Tracking", "Chat", "Safety", "Events", "Notices",
        "Goals", "Heatmap", "Search", "Routes", "Training", "PersonalPlaces", "Together",
        "Reminders",
        "PersonalData", "Admin",
    ]

    /// Lowest first: a part of the hub uses only parts that come before it.
    static let hubOrder = [
        "Messages", "Blocks", "Signals", "Presence", "Log", "Conversations", "Notices", "Heatmap", "Routes", "Workouts",
        "Shares", "Sessions",
    ]

    /// Parts of the hub that feeds may use. No feed uses another feed's part: a new one changes none.
    static let usedByFeeds: Set<String> = ["Messages", "Blocks", "Presence", "Log"]

    @Test("An area of the services uses only areas that come before it in the order")
    func services() throws { try check("Sources/Services/", Self.serviceOrder) { _, _ in true } }

    @Test("A feed of the hub uses the parts below the feeds, and no other feed")
    func feeds() throws { try check("Sources/Hub/", Self.hubOrder) { _, used in Self.usedByFeeds.contains(used) } }

    private func check(_ prefix: String, _ order: [String], mayUse: (String, String) -> Bool) throws {
        let files = try Repository.sources.get().filter {
            $0.path.hasPrefix(prefix) && $0.path.split(separator: "/").count > 3
        }
        let areas = Dictionary(grouping: files) { String($0.path.split(separator: "/")[2]) }
        #expect(Set(areas.keys) == Set(order), "each area has its place in the order")
        var owners: [String: Set<String>] = [:]
        for (area, files) in areas {
            for name in files.flatMap({ Self.types(declaredIn: $0) }) { owners[name, default: []].insert(area) }
        }
        var wrong: [String] = []
        for (area, files) in areas {
            let position = order.firstIndex(of: area) ?? 0
            for name in Set(files.flatMap { Self.typeNames(usedIn: $0) }) {
                guard let found = owners[name], found.count == 1, let owner = found.first, owner != area else {
                    continue
                }
                if order.firstIndex(of: owner) ?? 0 > position || !mayUse(area, owner) {
                    wrong.append("\(area) uses \(owner)'s \(name)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.sorted())")
    }

    /// Types at the top level that other files can see.
    private static func types(declaredIn file: Repository.File) -> [String] {
        // Made once: a literal in a loop is parsed for each line.
        let declaration = /\b(?:struct|class|actor|enum|protocol|typealias) ([A-Z]\w*)/
        return file.lines.compactMap { line in
            guard !line.hasPrefix(" "), !line.contains("private "),
                let match = line.firstMatch(of: declaration)
            else { return nil }
            return String(match.1)
        }
    }

    private static func typeNames(usedIn file: Repository.File) -> Set<String> {
        let (comment, string, typeName) = (/\/\/.*/, /"(?:\\.|[^"\\])*"/, /(?:^|[^.\w])([A-Z]\w+)/)
        var names: Set<String> = []
        var isInString = false
        for line in file.lines {
            if line.count(of: #"""""#) % 2 == 1 {
                isInString.toggle()
                continue
            }
            if isInString { continue }
            let code = line.replacing(comment, with: "").replacing(string, with: "")
            names.formUnion(code.matches(of: typeName).map { String($0.1) })
        }
        return names
    }
}

extension Substring {
    fileprivate func count(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
