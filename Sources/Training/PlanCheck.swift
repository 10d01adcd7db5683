import Foundation
import Wire

/// Checks a plan that a client sends. Whether its exercises and its destination exist is for the service to find out.
public enum PlanCheck {
    public static let minutesRange = 1...600
    public static let tagsMax = 10
    public static let sectionsMax = 3
    public static let groupEntriesMax = 5
    public static let entriesMax = 60
    public static let entrySetsMax = 20
    public static let setsMax = 300
    public static let restSecondsMax = 3_600
    public static let repsMax = 1_000
    public static let kilogramsMax = 1_000.0
    public static let secondsMax = 86_400.0
    public static let metresMax = 1_000_000.0
    public static let videosMax = 6
    public static let exerciseIDLengthMax = 120
    public static let destinationLengthMax = 120

    /// Returns the plan with trimmed texts, lower-case ids, distinct equipment and tags, and without the name of its destination.
    /// - Parameter field: Name of the parameter, for errors.
    public static func check(_ plan: WorkoutPlan, field: String = "plan") throws(RPCError) -> WorkoutPlan {
        var plan = plan
        plan.title = try line(plan.title, .workoutTitle, "\(field).title")
        plan.description = try optional(plan.description, .workoutDescription, "\(field).description")
        try range(plan.minutes, minutesRange, "\(field).minutes")
        if let destination = plan.destination {
            guard (1...destinationLengthMax).contains(destination.unicodeScalars.count) else {
                throw .invalid("\(field).destination", "must have 1 to \(destinationLengthMax) characters")
            }
        }
        plan.destinationName = nil
        guard plan.equipment.count <= Equipment.allCases.count else {
            throw .invalid("\(field).equipment", "must have at most \(Equipment.allCases.count) entries")
        }
        plan.equipment = Equipment.allCases.filter(Set(plan.equipment).contains)
        plan.tags = try tags(plan.tags, "\(field).tags")
        plan.sections = try sections(plan.sections, "\(field).sections")
        plan.videos = try videos(plan.videos, "\(field).videos")
        return plan
    }

    /// The plan without control characters in its texts of several lines. Plans that were stored before these were refused may have some,
    /// and a training by such a plan was done.
    public static func withoutControlCharacters(_ plan: WorkoutPlan) -> WorkoutPlan {
        func cleaned(_ text: String?) -> String? {
            text.map { String(String.UnicodeScalarView($0.unicodeScalars.filter { !isForbidden($0) })) }
        }
        var plan = plan
        plan.description = cleaned(plan.description)
        for section in plan.sections.indices {
            for group in plan.sections[section].groups.indices {
                for entry in plan.sections[section].groups[group].entries.indices {
                    let note = plan.sections[section].groups[group].entries[entry].note
                    plan.sections[section].groups[group].entries[entry].note = cleaned(note)
                }
            }
        }
        return plan
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        LineFault.isControl(scalar) && scalar != "\n" && scalar != "\t"
    }

    /// Checks the values of a set.
    public static func check(_ values: PlannedSet, field: String) throws(RPCError) {
        if let reps = values.reps { try range(reps, 0...repsMax, "\(field).reps") }
        if let kilograms = values.kilograms { try range(kilograms, 0...kilogramsMax, "\(field).kilograms") }
        if let seconds = values.seconds { try range(seconds, 0...secondsMax, "\(field).seconds") }
        if let metres = values.metres { try range(metres, 0...metresMax, "\(field).metres") }
    }

    private static func tags(_ tags: [String], _ field: String) throws(RPCError) -> [String] {
        guard tags.count <= tagsMax else { throw .invalid(field, "must have at most \(tagsMax) entries") }
        var seen: Set<String> = []
        var kept: [String] = []
        for (index, tag) in tags.enumerated() {
            let tag = try line(tag, .workoutTag, "\(field)[\(index)]")
            if seen.insert(tag.lowercased()).inserted { kept.append(tag) }
        }
        return kept
    }

    private static func sections(_ sections: [WorkoutSection], _ field: String) throws(RPCError) -> [WorkoutSection] {
        guard (1...sectionsMax).contains(sections.count) else {
            throw .invalid(field, "must have 1 to \(sectionsMax) entries")
        }
        let order = sections.compactMap { SectionKind.allCases.firstIndex(of: $0.kind) }
        guard zip(order, order.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw .invalid(field, "must have each kind at most once, in the order warmUp, main, coolDown")
        }
        // Counts come first, so that no work is done for a plan that is too large.
        let groups = sections.lazy.flatMap(\.groups)
        guard groups.prefix(entriesMax + 1).count <= entriesMax else {
            throw .invalid(field, "must have at most \(entriesMax) entries together")
        }
        guard groups.reduce(0, { $0 + $1.entries.count }) <= entriesMax else {
            throw .invalid(field, "must have at most \(entriesMax) entries together")
        }
        guard groups.reduce(0, { $0 + $1.entries.reduce(0) { $0 + $1.sets.count } }) <= setsMax else {
            throw .invalid(field, "must have at most \(setsMax) sets together")
        }
        guard groups.contains(where: { !$0.entries.isEmpty }) else { throw .invalid(field, "must have an exercise") }
        var sections = sections
        var ids: Set<String> = []
        for index in sections.indices {
            for position in sections[index].groups.indices {
                let name = "\(field)[\(index)].groups[\(position)].entries"
                let entries = sections[index].groups[position].entries
                sections[index].groups[position].entries = try self.entries(entries, name, &ids)
            }
        }
        return sections
    }

    private static func entries(_ entries: [WorkoutEntry], _ field: String, _ ids: inout Set<String>) throws(RPCError)
        -> [WorkoutEntry]
    {
        guard (1...groupEntriesMax).contains(entries.count) else {
            throw .invalid(field, "must have 1 to \(groupEntriesMax) entries")
        }
        var checked: [WorkoutEntry] = []
        for (index, entry) in entries.enumerated() {
            var entry = entry
            let name = "\(field)[\(index)]"
            guard let id = UUID(uuidString: entry.id)?.uuidString.lowercased() else {
                throw .invalid("\(name).id", "must be a UUID")
            }
            guard ids.insert(id).inserted else { throw .invalid("\(name).id", "must be unique within the workout") }
            entry.id = id
            guard (1...exerciseIDLengthMax).contains(entry.exercise.unicodeScalars.count) else {
                throw .invalid("\(name).exercise", "must have 1 to \(exerciseIDLengthMax) characters")
            }
            guard (1...entrySetsMax).contains(entry.sets.count) else {
                throw .invalid("\(name).sets", "must have 1 to \(entrySetsMax) entries")
            }
            for (position, values) in entry.sets.enumerated() { try check(values, field: "\(name).sets[\(position)]") }
            try range(entry.restSeconds, 0...restSecondsMax, "\(name).restSeconds")
            entry.note = try optional(entry.note, .entryNote, "\(name).note")
            checked.append(entry)
        }
        return checked
    }

    private static func videos(_ videos: [VideoLink], _ field: String) throws(RPCError) -> [VideoLink] {
        guard videos.count <= videosMax else { throw .invalid(field, "must have at most \(videosMax) entries") }
        var checked: [VideoLink] = []
        for (index, video) in videos.enumerated() {
            var video = video
            video.title = try line(video.title, .videoTitle, "\(field)[\(index)].title")
            video.url = try address(video.url, "\(field)[\(index)].url")
            checked.append(video)
        }
        return checked
    }

    /// An address that a page can link to: https, with a host, without user data and blanks.
    private static func address(_ address: String, _ field: String) throws(RPCError) -> String {
        let address = try text(address, .videoAddress, field)
        let isPlain = address.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""<>\^`{|}"#.utf8.contains($0) }
        guard isPlain, address.lowercased().hasPrefix("https://"), let parts = URLComponents(string: address),
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil
        else {
            throw .invalid(field, "must be an address that begins with https://")
        }
        return address
    }

    private static func text(_ value: String, _ limit: TextLimit, _ field: String) throws(RPCError) -> String {
        // A text far beyond the limit is refused before it is trimmed.
        let trimmed =
            value.utf8.count > 16 * limit.max + 64 ? value : value.trimmingCharacters(in: .whitespacesAndNewlines)
        guard limit.allowed.contains(trimmed.unicodeScalars.count) else {
            throw .invalid(field, "must have \(limit.allowed.lowerBound) to \(limit.max) characters")
        }
        guard !trimmed.unicodeScalars.contains(where: { $0.value == 0 }) else {
            throw .invalid(field, "must not have the character U+0000")
        }
        return trimmed
    }

    /// A text of one line, such as a title.
    private static func line(_ value: String, _ limit: TextLimit, _ field: String) throws(RPCError) -> String {
        let line = try text(value, limit, field)
        if let fault = LineFault(line) { throw .invalid(field, fault.message) }
        return line
    }

    /// A text of several lines, which may have line feeds and tabs. An empty one counts as none.
    private static func optional(_ value: String?, _ limit: TextLimit, _ field: String) throws(RPCError) -> String? {
        guard let value else { return nil }
        let text = try text(value, limit, field)
        guard !text.unicodeScalars.contains(where: isForbidden) else {
            throw .invalid(field, LineFault.controlCharacter.message)
        }
        return text.isEmpty ? nil : text
    }

    private static func range<Value: Comparable>(_ value: Value, _ allowed: ClosedRange<Value>, _ field: String)
        throws(RPCError)
    {
        // NaN is in no range.
        guard allowed.contains(value) else {
            throw .invalid(field, "must be from \(allowed.lowerBound) to \(allowed.upperBound)")
        }
    }
}
