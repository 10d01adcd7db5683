import Wire

/// Advice for people before a workout.
public enum SafetyGuidelines {
    static let sentencesMax = 12

    /// At most 12 sentences, the personal ones first.
    public static func sentences(for body: Body, type: ExerciseType?) -> [String] {
        var sentences: [String] = []
        if !body.injuries.isEmpty {
            sentences.append("Stop an exercise that causes pain; see a doctor when pain stays.")
        }
        sentences += HealthCondition.allCases.filter(body.conditions.contains).map(sentence)
        if let age = body.age, age >= 65 {
            sentences.append("Add balance exercises on three days a week, near a wall.")
        }
        if let age = body.age, age < 16 { sentences.append("Learn heavy exercises with a coach and light weights.") }
        if let type { sentences.append(sentence(type)) }
        sentences += [
            "Warm up for five minutes or more, and cool down at the end.",
            "Drink water before, during and after the workout.",
            "Stop and call for help if you feel pain in the chest, dizziness or unusual shortness of breath.",
        ]
        return Array(sentences.prefix(sentencesMax))
    }

    private static func sentence(_ condition: HealthCondition) -> String {
        switch condition {
        case .asthma: "Keep your reliever inhaler at hand and warm up slowly."
        case .hypertension: "Breathe out when you lift and never hold your breath."
        case .heartDisease: "Train at the intensity that your cardiologist has allowed, and keep your medicine at hand."
        case .diabetes: "Check your blood sugar before and after, keep sugar at hand and look after your feet."
        case .pregnancy: "Keep to a pace at which you can talk, avoid heat, and stop at bleeding, pain or contractions."
        case .postpartum:
            "Begin with walking and pelvic floor exercises, and wait for the consent of your doctor or midwife."
        case .osteoporosis: "Keep your back straight when you bend and lift."
        case .arthritis: "Move within the range that does not hurt, and rest a joint that is hot or swollen."
        case .epilepsy: "Train with somebody who knows what to do in a seizure."
        case .glaucoma: "Breathe evenly and keep your head above your heart."
        case .hernia: "Breathe out when you lift, and stop if the hernia bulges or hurts."
        case .vertigo: "Change positions slowly and train near something to hold on to."
        case .anaemia: "Rest at breathlessness or palpitations and raise the effort slowly."
        }
    }

    private static func sentence(_ type: ExerciseType) -> String {
        switch type {
        case .strength: "Choose weights that you can lift cleanly to the last repetition."
        case .powerlifting, .olympicWeightlifting, .strongman: "Lift heavy weights with a partner or with safety bars."
        case .cardio: "Begin slowly and keep a pace at which you can speak short sentences."
        case .swimming: "Swim where a lifeguard watches, and never alone."
        case .stretching: "Stretch until you feel a pull, never until it hurts."
        case .balance: "Stand near a wall or a chair that you can hold."
        case .plyometrics: "Land softly on a level floor and stop when your legs tire."
        }
    }
}
