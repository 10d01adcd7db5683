/// Parameters of the methods of training.
extension ValidParams {
    private static let day = #""2026-01-15""#
    private static let plan = #"""
        {"title":"Plan","type":"strength","intensity":"moderate","minutes":30,"place":"anywhere","equipment":[],"tags":["x"],
        "sections":[{"kind":"main","groups":[{"entries":[{"id":"7d9f2c52-0c0b-4f7e-9d0e-3f8a5b1c2d3e",
        "exercise":"campanile/push-up","sets":[{"reps":10}],"restSeconds":60}]}]}],"videos":[]}
        """#

    /// Members of a method of training that depend on each other, or on stored objects; nil for another method.
    func fittingTraining<G: RandomNumberGenerator>(
        _ method: String, using generator: inout G
    ) -> [([String], String?)]? {
        func own(_ kind: String) -> String {
            self.own.one(kind, using: &generator) ?? JSONTree.quoted(Self.uuid(using: &generator))
        }
        switch method {
        case "body.save":
            return [
                (["heightCentimetres"], "170"), (["lastPeriod"], #"{"skipped":"unsure"}"#), (["restingPulse"], "60"),
                (["maximumPulse"], "180"), (["clear"], nil),
            ]
        case "body.saveInjury": return [(["from"], Self.day), (["until"], nil)]
        case "body.weights": return [(["from"], nil), (["to"], Self.day)]
        case "body.saveWeight": return [(["date"], Self.day), (["kilograms"], "70")]
        case "body.removeWeight": return [(["date"], Self.day)]
        case "exercises.get": return [(["exercise"], #""campanile/push-up""#)]
        case "exercises.search": return [(["offset"], "0")]
        case "workouts.save": return [(["revision"], nil), (["plan"], Self.plan)]
        case "workouts.list": return [(["before"], nil)]
        case "training.list": return [(["before"], nil), (["beforeTraining"], nil), (["workout"], nil)]
        case "workouts.schedule":
            return [
                (["workout"], own("workout")), (["event"], nil),
                (["at"], JSONTree.quoted("2027-11-28T12:00:00.000Z")),
            ]
        case "workouts.recommend": return [(["minutes"], "30"), (["offset"], "0"), (["lat"], nil), (["lon"], nil)]
        case "training.start":
            return [
                (["workout"], own("workout")), (["together"], nil), (["plan"], nil),
                (["device"], JSONTree.quoted(Self.uuid(using: &generator))),
            ]
        case "training.record": return [(["training"], own("training")), (["sets"], nil), (["pulse"], nil)]
        case "training.finish": return [(["training"], own("training")), (["sets"], nil), (["pauses"], nil)]
        case "training.takeOver":
            return [
                (["training"], own("training")), (["device"], JSONTree.quoted(Self.uuid(using: &generator))),
            ]
        case "training.edit":
            return [
                (["training"], own("training")), (["sets"], nil), (["startedAt"], nil), (["endedAt"], nil),
                (["pulse"], nil),
            ]
        case "insights.get": return [(["from"], Self.day), (["to"], Self.day)]
        case "insights.saveGoals":
            return [
                (["daySteps"], "8000"), (["dayCalories"], "300"), (["weekTrainings"], "3"), (["weekMinutes"], "150"),
            ]
        case "insights.saveDay": return [(["date"], Self.day), (["restingPulse"], "60"), (["clear"], nil)]
        default:
            if method.hasPrefix("workouts.") { return [(["workout"], own("workout"))] }
            return method.hasPrefix("training.") ? [(["training"], own("training"))] : nil
        }
    }
}
