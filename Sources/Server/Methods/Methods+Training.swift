import Services
import Wire

extension Router {
    /// Adds the methods for training, except those of live groups.
    mutating func addTraining(_ training: TrainingServices) {
        addBody(training.body)
        let exercises = training.exercises
        addForAccount(ExercisesSearch.self) { try await exercises.search($1, for: $0) }
        addForAccount(ExercisesGet.self) { try await exercises.exercise($1, for: $0) }
        addWorkouts(training.workouts)
        addTrainings(training.trainings)
        let analytics = training.analytics
        addForAccount(InsightsGet.self) { try await analytics.insights($1, of: $0) }
        addForAccount(InsightsSaveGoals.self) { try await analytics.save($1, of: $0) }
        addForAccount(InsightsSaveDay.self) {
            try await analytics.save($1, of: $0)
            return Empty()
        }
    }

    private mutating func addBody(_ body: BodyRecords) {
        addForAccount(BodyGet.self) { identity, _ in try await body.data(of: identity) }
        addForAccount(BodySave.self) { try await body.save($1, of: $0) }
        addForAccount(BodyConfirm.self) { identity, _ in try await body.confirm(identity) }
        addForAccount(BodySaveInjury.self) { try await body.save($1, of: $0) }
        addForAccount(BodyRemoveInjury.self) { try await body.remove($1, of: $0) }
        addForAccount(BodyWeights.self) { try await body.weights($1, of: $0) }
        addForAccount(BodySaveWeight.self) { try await body.save($1, of: $0) }
        addForAccount(BodyRemoveWeight.self) { try await body.remove($1, of: $0) }
    }

    private mutating func addWorkouts(_ workouts: Workouts) {
        addForAccount(WorkoutsList.self) { try await workouts.list($1, of: $0) }
        addForAccount(WorkoutsGet.self) { try await workouts.workout($1.workout, of: $0) }
        addForAccount(WorkoutsSave.self) { try await workouts.save($1, of: $0) }
        addForAccount(WorkoutsRemove.self) {
            try await workouts.remove($1, of: $0)
            return Empty()
        }
        addForAccount(WorkoutsCopy.self) { try await workouts.copy($1, of: $0) }
        addForAccount(WorkoutsSchedule.self) { try await workouts.schedule($1, of: $0) }
        addForAccount(WorkoutsShare.self) { try await workouts.share($1, by: $0) }
        addForAccount(WorkoutsRecommend.self) { try await workouts.recommend($1, for: $0) }
    }

    private mutating func addTrainings(_ trainings: Trainings) {
        addForAccount(TrainingStart.self) { try await trainings.start($1, by: $0) }
        addForAccount(TrainingRecord.self) { try await trainings.record($1, by: $0) }
        addForAccount(TrainingTakeOver.self) { try await trainings.takeOver($1, by: $0) }
        addForAccount(TrainingFinish.self) { try await trainings.finish($1, by: $0) }
        addForAccount(TrainingCurrent.self) { identity, _ in try await trainings.open(of: identity) }
        addForAccount(TrainingList.self) { try await trainings.list($1, of: $0) }
        addForAccount(TrainingGet.self) { try await trainings.training($1.training, of: $0) }
        addForAccount(TrainingEdit.self) { try await trainings.edit($1, by: $0) }
        addForAccount(TrainingRecalculate.self) { try await trainings.recalculate($1, by: $0) }
        addForAccount(TrainingRemove.self) {
            try await trainings.remove($1, by: $0)
            return Empty()
        }
    }
}
