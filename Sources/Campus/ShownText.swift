/// Text from a file in a form that an error message may contain. It is cut after `scalarsMax` Unicode scalars, because
/// a single character may have any number of them. Control characters (C0, DEL, C1) are removed, because they could
/// move a terminal's cursor or start a line.
func shown(_ text: some StringProtocol, scalarsMax: Int) -> String {
    let plain = text.unicodeScalars.lazy.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: plain.prefix(scalarsMax))
    return String(shown)
}
