import NameSearch
import Testing

@Suite("Finding names while somebody types")
struct NameIndexTests {
    private static let index = NameIndex([
        .init(names: ["Andreas-Pfitzmann-Bau", "Faculty of Computer Science"], codes: ["APB"]),
        .init(
            names: [], codes: ["E017", "APB E017"], classes: ["room"], context: ["Andreas-Pfitzmann-Bau", "APB"]),
        .init(
            names: [], codes: ["E018", "APB E018"], classes: ["room"], context: ["Andreas-Pfitzmann-Bau", "APB"]),
        .init(names: ["Seminar room"], codes: ["5508.02.801"], classes: ["class"]),
        .init(names: ["Universitätsbibliothek"], classes: ["library"]),
        .init(names: ["O'Hare Café"], classes: ["cafe"]),
        .init(names: ["Северо-Западный зал"]),
        .init(names: ["北京咖啡"]),
        .init(names: ["Bibliothek"], classes: ["library"]),
    ])

    private func best(_ text: String) -> Int? { Self.index.find(text, limit: 3).first?.document }

    @Test(
        "Beginnings, errors, missing accents, other scripts, and codes in any form find the name",
        arguments: [
            ("andr", 0), ("pfitzman", 0), ("Anderas Pfitzmann", 0), ("AndreasPfitzmannBau", 0), ("faculty compter", 0),
            ("e017", 1), ("E 017", 1), ("apb/e017", 1), ("APB E018", 2), ("5508.02.801", 3), ("550802801", 3),
            ("5508 02 8", 3), ("universitatsbib", 4), ("UNIVERSITÄTSBIBLIOTHEK", 4), ("unviersitätsbibliothek", 4),
            ("ohare", 5), ("o hare cafe", 5), ("cafè", 5), ("severo", 6), ("северо", 6), ("zapadny", 6), ("北京", 7),
            ("beijing", 7), ("ｂｉｂｌｉｏｔｈｅｋ", 8), ("kibliothek", 8),
        ])
    func found(text: String, document: Int) {
        #expect(best(text) == document)
    }

    @Test("Of equal words the name that has nothing else comes first, and a class finds all that are of it")
    func order() {
        #expect(Self.index.find("bibliothek", limit: 9).map(\.document) == [8, 4])
        #expect(Set(Self.index.find("library", limit: 9).map(\.document)) == [4, 8])
    }

    @Test("The name of a building does not find all its rooms, but narrows them")
    func context() {
        #expect(Self.index.find("andreas pfitzmann bau", limit: 9).map(\.document) == [0])
        #expect(best("pfitzmann e018") == 2)
    }

    @Test("A match says which name it is, and a document is found once")
    func names() {
        let matches = Self.index.find("faculty", limit: 9)
        #expect(matches.map(\.document) == [0] && matches.first?.name == 1)
        #expect(Self.index.find("e017", limit: 9).first?.name == nil)
    }

    @Test("What an adjustment refuses is not found, and what it adds changes the order")
    func adjusted() {
        #expect(Self.index.find("bibliothek", limit: 9) { $0 == 8 ? nil : 0 }.map(\.document) == [4])
        #expect(Self.index.find("library", limit: 1) { $0 == 4 ? 0.5 : 0 }.map(\.document) == [4])
    }

    @Test("A text that is far from all names finds nothing, and the nearest name is suggested")
    func nearest() {
        #expect(Self.index.find("xyzzy", limit: 9).isEmpty)
        #expect(Self.index.find("bxblxothxk", limit: 9).isEmpty)
        #expect(Self.index.nearest("bxblxothxk")?.document == 8)
    }

    @Test(
        "No text crashes the search or takes long: signs, nothing, a word of all lengths, many words, combining marks",
        arguments: [
            "", " ", "★", "'", ".", "\u{0}", String(repeating: "a", count: 5_000),
            String(repeating: "ab ", count: 2_000), "e" + String(repeating: "\u{301}", count: 5_000), "👩‍👩‍👧‍👦", "ﷺ",
            String(repeating: "ß", count: 300), "\u{202E}abc",
        ])
    func hostile(text: String) {
        #expect(Self.index.find(text, limit: 3).count <= 3)
        _ = Self.index.nearest(text)
    }

    @Test("An index without names, and names without words, are searched as well")
    func empty() {
        #expect(NameIndex([]).find("a", limit: 1).isEmpty)
        #expect(NameIndex([.init(names: ["★", ""])]).find("a", limit: 1).isEmpty)
    }
}
