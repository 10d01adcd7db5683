import Testing

/// Which areas of the services may use which. A new area takes its place in the list; nothing else changes.
@Suite("Rooms")
struct RoomTests {
    /// Lowest first: an area uses only areas above it in this list.
    static let serviceOrder = [
        "Shared", "Accounts", "Audit", "Blocks", "CampusMap", "Publications", "Pictures", "Privacy", "Buddies",
        "Sharing",
        "Tracking", "Chat", "Safety", "Events", "Notices", "Goals", "Heatmap", "PersonalPlaces", "Reminders",
        "PersonalData", "Admin",
    ]

    @Test("An area of the services uses only areas that come before it in the order")
    func services() throws {
        let files = try Repository.sources.get().filter { $0.path.hasPrefix("Sources/Services/") }
        let areas = Dictionary(grouping: files) { String($0.path.split(separator: "/")[2]) }
        #expect(Set(areas.keys) == Set(Self.serviceOrder), "each area has its place in the order")
        var owners: [String: Set<String>] = [:]
        for (area, files) in areas {
            for name in files.flatMap({ Self.types(declaredIn: $0) }) { owners[name, default: []].insert(area) }
        }
        var wrong: [String] = []
        for (area, files) in areas {
            let position = Self.serviceOrder.firstIndex(of: area) ?? 0
            for name in Set(files.flatMap { Self.typeNames(usedIn: $0) }) {
                guard let found = owners[name], found.count == 1, let owner = found.first, owner != area else {
                    continue
                }
                if Self.serviceOrder.firstIndex(of: owner) ?? 0 > position {
                    wrong.append("\(area) uses \(owner)'s \(name)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.sorted())")
    }

    /// Types at the top level that other files can see.
    private static func types(declaredIn file: Repository.File) -> [String] {
        file.lines.compactMap { line in
            guard !line.hasPrefix(" "), !line.contains("private "),
                let match = line.firstMatch(of: /\b(?:struct|class|actor|enum|protocol|typealias) ([A-Z]\w*)/)
            else { return nil }
            return String(match.1)
        }
    }

    private static func typeNames(usedIn file: Repository.File) -> Set<String> {
        var names: Set<String> = []
        var isInString = false
        for line in file.lines {
            if line.count(of: #"""""#) % 2 == 1 {
                isInString.toggle()
                continue
            }
            if isInString { continue }
            let code = line.replacing(/\/\/.*/, with: "").replacing(/"(?:\\.|[^"\\])*"/, with: "")
            names.formUnion(code.matches(of: /(?:^|[^.\w])([A-Z]\w+)/).map { String($0.1) })
        }
        return names
    }
}

extension Substring {
    fileprivate func count(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
