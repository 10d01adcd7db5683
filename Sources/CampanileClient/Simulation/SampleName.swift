/// Names for sample runners: given names from many places, so that the list of a demonstration reads like a campus.
enum SampleName {
    private static let names = [
        "Amelia", "Noor", "Mateo", "Yuki", "Ingrid", "Kwame", "Priya", "Luca", "Zofia", "Tariq", "Hana", "Oskar",
        "Leila", "Bruno", "Freya", "Jamal", "Mei", "Rafael", "Saoirse", "Emil", "Aisha", "Diego", "Nadia", "Felix",
        "Chiara", "Omar", "Linnea", "Thabo", "Ines", "Viktor", "Sofia", "Ravi", "Elena", "Kofi", "Marta", "Jonas",
    ]
    /// The shortest username (U-1).
    private static let charactersMin = 4

    /// The name of the runner with this number, from 0; a number is added where names run out or are too short.
    static func name(of index: Int) -> String {
        let name = names[index % names.count]
        let round = index / names.count
        if round > 0 { return name + String(round + 1) }
        return name.count >= charactersMin ? name : name + "1"
    }
}
