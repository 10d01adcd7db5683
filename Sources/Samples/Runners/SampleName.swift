/// Given names from many countries for sample runners.
enum SampleName {
    private static let names = [
        "Amelia", "Noor", "Mateo", "Yuki", "Ingrid", "Kwame", "Priya", "Luca", "Zofia", "Tariq", "Hana", "Oskar",
        "Leila", "Bruno", "Freya", "Jamal", "Mei", "Rafael", "Saoirse", "Emil", "Aisha", "Diego", "Nadia", "Felix",
        "Chiara", "Omar", "Linnea", "Thabo", "Ines", "Viktor", "Sofia", "Ravi", "Elena", "Kofi", "Marta", "Jonas",
    ]
    /// Minimum length of a username (U-1).
    private static let charactersMin = 4

    /// The name of a runner by its number from 0. A digit is appended if the list is exhausted or the name is too short.
    static func name(of index: Int) -> String {
        let name = names[index % names.count]
        let round = index / names.count
        if round > 0 { return name + String(round + 1) }
        return name.count >= charactersMin ? name : name + "1"
    }
}
