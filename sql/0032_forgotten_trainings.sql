-- Whether the server set the end of a training that the person had forgotten to end. The first end that the person states replaces it.
ALTER TABLE trainings ADD COLUMN ended_by_server boolean NOT NULL DEFAULT false;
