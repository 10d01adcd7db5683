/// Text of a file as an error may show it: cut after `scalarsMax` Unicode scalars, since a single character may have any number of
/// them, and without control characters (C0, DEL, C1), which could move a terminal's cursor or start a line.
func shown(_ text: some StringProtocol, scalarsMax: Int) -> String {
    let plain = text.unicodeScalars.lazy.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: plain.prefix(scalarsMax))
    return String(shown)
}
