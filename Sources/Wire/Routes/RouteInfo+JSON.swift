// Routes write their own JSON: after a lift broke, hundreds are sent at the same moment.

extension JSONText {
    /// Appends JSON text unchanged, then a finite number.
    fileprivate mutating func add(_ json: StaticString, number: Double) {
        add(json)
        if number == number.rounded(), abs(number) < 1e15 { add(Int64(number)) } else { add(plain: number.description) }
    }

    /// Appends values with commas between them, in brackets.
    fileprivate mutating func add<Value>(
        _ json: StaticString, list: [Value], _ write: (inout JSONText, Value) -> Void
    ) {
        add(json)
        add("[")
        for (index, value) in list.enumerated() {
            if index > 0 { add(",") }
            write(&self, value)
        }
        add("]")
    }
}

extension RouteInfo: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"seconds\":", number: seconds)
        json.add(",\"metres\":", number: metres)
        json.add(",\"arrival\":", arrival)
        json.add(",\"reasons\":", list: reasons) { $0.add("", string: $1.rawValue) }
        if let crowdSeconds { json.add(",\"crowdSeconds\":", number: crowdSeconds) }
        json.add(",\"entry\":", string: entry.rawValue)
        json.add(",\"points\":", list: points) { $1.write(to: &$0) }
        json.add(",\"uncertain\":", list: uncertain) { text, part in
            text.add("", list: part) { $0.add(Int64($1)) }
        }
        json.add(",\"legs\":", list: legs) { $1.write(to: &$0) }
        json.add(",\"crowd\":", list: crowd) { text, part in
            text.add("{\"first\":", Int64(part.first))
            text.add(",\"last\":", Int64(part.last))
            text.add(",\"people\":", Int64(part.people))
            text.add("}")
        }
        json.add("}")
    }
}

extension RoutePoint: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"lat\":", number: lat)
        json.add(",\"lon\":", number: lon)
        if let level { json.add(",\"level\":", string: level) }
        json.add("}")
    }
}

extension RouteLegInfo: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"kind\":", string: kind.rawValue)
        json.add(",\"turn\":", string: turn.rawValue)
        if let name { json.add(",\"name\":", string: name) }
        if let past { json.add(",\"past\":", string: past) }
        if let building { json.add(",\"building\":", string: building) }
        if let entrance { json.add(",\"entrance\":", string: entrance) }
        json.add(",\"indoors\":", indoors)
        if let fromLevel { json.add(",\"fromLevel\":", string: fromLevel) }
        if let toLevel { json.add(",\"toLevel\":", string: toLevel) }
        json.add(",\"metres\":", number: metres)
        json.add(",\"seconds\":", number: seconds)
        json.add(",\"first\":", Int64(first))
        json.add(",\"last\":", Int64(last))
        json.add(",\"text\":", string: text)
        json.add("}")
    }
}

extension RoutesFind.Result: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"routes\":", list: routes) { $1.write(to: &$0) }
        json.add("}")
    }
}

extension Walk: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"walk\":", string: walk)
        json.add(",\"topic\":", string: topic)
        if let route {
            json.add(",\"route\":")
            route.write(to: &json)
        }
        if let message { json.add(",\"message\":", string: message) }
        json.add(",\"version\":", Int64(version))
        json.add("}")
    }
}

extension RouteUpdate: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"type\":", string: type)
        json.add(",\"version\":", Int64(version))
        json.add(",\"reason\":{\"kind\":", string: reason.kind.rawValue)
        if let object = reason.object { json.add(",\"object\":", string: object) }
        if let until = reason.until { json.add(",\"until\":", until) }
        if let note = reason.note { json.add(",\"note\":", string: note) }
        json.add("}")
        if let route {
            json.add(",\"route\":")
            route.write(to: &json)
        }
        if let message { json.add(",\"message\":", string: message) }
        json.add("}")
    }
}
