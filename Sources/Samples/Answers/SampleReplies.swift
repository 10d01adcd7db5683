/// What sample people answer to a message: the first topic whose words occur in it, otherwise a general reply.
enum SampleReplies {
    private struct Topic: Sendable {
        /// Words in lower case, of which one occurs.
        let words: Set<String>
        let replies: [String]
    }

    private static let topics: [Topic] = [
        Topic(
            words: ["sample", "bot", "robot", "human", "real"],
            replies: ["I am only a sample, but a cheerful one.", "A sample, yes. My legs never get tired."]),
        Topic(
            words: ["thanks", "thank", "thx", "cheers"],
            replies: ["You're welcome!", "Any time 🙂", "Thank you, it was fun."]),
        Topic(
            words: ["when", "time", "today", "tonight", "tomorrow", "weekend", "morning", "evening"],
            replies: [
                "Half past six suits me. You?", "Tomorrow after the last lecture, say five?",
                "Mornings are best for me: eight at the gate?",
            ]),
        Topic(
            words: ["where", "meet", "place"],
            replies: [
                "At the bell tower, as always?", "Union Coffee, by the door.", "West Gate is on my way. See you there?",
            ]),
        Topic(
            words: ["coffee", "lunch", "eat", "drink", "breakfast"],
            replies: [
                "Union Coffee? I'll get us a table.", "The Refectory at twelve. I'm starving already.",
                "Always. First round is on me.",
            ]),
        Topic(
            words: ["swim", "swimming", "lake", "beach"],
            replies: ["The lake is cold, but I'm in.", "Let's start at the beach and go once around."]),
        Topic(
            words: ["ride", "bike", "cycle", "cycling"],
            replies: ["Yes! Gate to Shore and back, easy pace.", "I'll pump up the tyres. How far?"]),
        Topic(
            words: ["run", "running", "jog", "pace", "lap", "laps", "km", "race"],
            replies: [
                "I'm in. Lake Loop, easy pace?", "Sounds good. Five kilometres, and we talk all the way.",
                "Gladly, if you don't mind my pace.",
            ]),
        Topic(
            words: ["sorry", "late", "can't", "cannot", "cancel", "ill"],
            replies: ["No problem at all. Another day!", "Don't worry, get well and tell me when."]),
        Topic(
            words: ["hi", "hello", "hey", "hallo", "morning!", "yo"],
            replies: [
                "Hi! Good to hear from you. Up for a run this week?", "Hello! How was your day?",
                "Hey! I was just tying my shoes.",
            ]),
        Topic(
            words: ["yes", "ok", "okay", "sure", "great", "perfect", "deal"],
            replies: ["Great, it's a plan!", "Perfect. See you then!", "👍 Looking forward to it."]),
    ]

    private static let toQuestions = [
        "Good question. I'd say yes!", "I think so. What do you think?", "Let's find out together on the next run.",
    ]

    private static let general = [
        "That sounds good! When would suit you?", "I'm in. The track at seven?", "Ha, same here.", "Let's do that.",
    ]

    private static let toPictures = ["Lovely picture!", "Nice! Where is that?"]

    /// The reply to a message.
    /// - Parameters:
    ///   - text: Nil for a picture without text.
    ///   - turn: Chooses among the replies of a topic, so that the same words get another answer later.
    static func reply(to text: String?, turn: Int64) -> String {
        guard let text else { return pick(toPictures, turn) }
        let words = Set(text.lowercased().split { !$0.isLetter && $0 != "'" }.map(String.init))
        if let topic = topics.first(where: { !$0.words.isDisjoint(with: words) }) { return pick(topic.replies, turn) }
        return pick(text.contains("?") ? toQuestions : general, turn)
    }

    private static func pick(_ replies: [String], _ turn: Int64) -> String {
        replies[Int(turn.magnitude % UInt64(replies.count))]
    }
}
