import Wire

/// Energy that a training took.
public enum CalorieEstimate {
    public static let kilogramsRange = 20.0...400.0
    /// Part of the active time that must have a heart rate, so that it decides.
    static let pulseCoverageMin = 0.8
    /// Our estimates of the error for one person, in percent; the article Training has their derivation.
    static let errorPercent: [CalorieMethod: Int] = [.met: 30, .correctedMET: 30, .heartRate: 20]
    /// From here on results are rounded to 10 kcal, below to 5: both are finer than the errors.
    static let coarseRoundingFrom = 100.0

    /// Nil without a weight, before the end, and if no time was active.
    /// - Parameters:
    ///   - exercises: Exercises of the plan; one that is missing counts by the type of the plan.
    ///   - body: Body data with the weight of the day of the training.
    ///   - pulse: In any order.
    public static func calories(
        of training: Training, exercises: [Exercise], for body: Body, pulse: [PulseSample] = []
    ) -> Calories? {
        guard let kilograms = body.kilograms, kilogramsRange.contains(kilograms), let end = training.endedAt else {
            return nil
        }
        let time = ActiveTime(training, now: end)
        let seconds = time.seconds
        guard seconds > 0 else { return nil }
        let hours = seconds / 3_600
        let perDay = RestingRate.kilocaloriesPerDay(body, kilograms: kilograms)
        let resting = (perDay.map { $0 / 24 } ?? kilograms) * hours
        if HeartRateEnergy.types.contains(training.plan.type),
            let gross = byPulse(PulseCourse(pulse, in: time), seconds: seconds, body: body, kilograms: kilograms)
        {
            return calories(gross, resting: resting, .heartRate, kilograms)
        }
        let metHours = TimeShares(training, exercises: exercises, activeSeconds: seconds).metSeconds / 3_600
        let standard = metHours * kilograms
        // Kozey et al. (2010): corrected MET = MET × 3.5 / resting rate. It is a multiple of the person's own resting rate, so that the
        // energy of the activity stays that of its oxygen, and only rest, which is 1 MET for everybody, follows the person.
        guard let oxygen = RestingRate.millilitresPerKilogram(body, kilograms: kilograms), let perDay else {
            return calories(standard, resting: resting, .met, kilograms)
        }
        let corrected = max(metHours * 3.5 / oxygen, hours)
        return calories(corrected * perDay / 24, resting: resting, .correctedMET, kilograms)
    }

    /// Nil if the heart rate covers too little of the time or lies outside the range of the equation.
    private static func byPulse(_ course: PulseCourse, seconds: Double, body: Body, kilograms: Double) -> Double? {
        guard course.seconds >= seconds * pulseCoverageMin, HeartRateEnergy.bpm.contains(course.average),
            body.highestPulse.map({ HeartRateEnergy.effort.contains(course.average / Double($0)) }) ?? true,
            HeartRateEnergy.kilograms.contains(kilograms), let age = body.age, HeartRateEnergy.ages.contains(age),
            body.sex == .male || body.sex == .female
        else { return nil }
        let perMinute = HeartRateEnergy.kilocaloriesPerMinute(
            bpm: course.average, kilograms: kilograms, age: age, isMale: body.sex == .male)
        return perMinute * seconds / 60
    }

    private static func calories(_ gross: Double, resting: Double, _ method: CalorieMethod, _ kilograms: Double)
        -> Calories?
    {
        guard gross.isFinite, resting.isFinite else { return nil }
        func rounded(_ value: Double) -> Int {
            let step = value < coarseRoundingFrom ? 5.0 : 10
            return Int((max(0, value) / step).rounded() * step)
        }
        return Calories(
            gross: rounded(gross), net: rounded(gross - resting), method: method, kilograms: kilograms,
            errorPercent: errorPercent[method] ?? 30)
    }
}
