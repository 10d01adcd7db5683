import assert from "node:assert/strict";
import { test } from "node:test";
import { pulseRequests, readPulseFile, samplesMax, samplesOfAverage, samplesWithin } from "../../../Sources/WebApp/pulse/pulsefile.js";
import { start } from "../training/fakes.js";

const at = (seconds) => new Date(start + seconds * 1_000).toISOString();

const tcx = `<?xml version="1.0"?><TrainingCenterDatabase><Activities><Activity Sport="Running"><Id>${at(0)}</Id><Lap StartTime="${at(0)}"><Track>
<Trackpoint><Time>${at(0)}</Time><AltitudeMeters>120</AltitudeMeters><HeartRateBpm xsi:type="t"><Value>98</Value></HeartRateBpm></Trackpoint>
<Trackpoint><Time>${at(5)}</Time><Extensions><Value>7</Value></Extensions></Trackpoint>
<Trackpoint><Time>${at(10)}</Time><HeartRateBpm><Value>112</Value></HeartRateBpm></Trackpoint></Track></Lap></Activity></Activities></TrainingCenterDatabase>`;
const gpx = `<gpx><trk><trkseg><trkpt lat="1" lon="2"><time>${at(0)}</time><extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>101</gpxtpx:hr>
</gpxtpx:TrackPointExtension></extensions></trkpt><trkpt lat="1" lon="2"><extensions><hr>150</hr></extensions></trkpt></trkseg></trk></gpx>`;

test("TCX, GPX and tables are read; points without a time or a rate are left out", () => {
  const rates = (text) => readPulseFile(text).map((one) => [(one.at - start) / 1_000, one.bpm]);
  assert.deepEqual(rates(tcx), [[0, 98], [10, 112]]);
  assert.deepEqual(rates(gpx), [[0, 101]]);
  assert.deepEqual(rates(`Timestamp;Pulse\n${at(5)};120\n${at(0)};110\nbroken;1\n${at(9)};999\n`), [[0, 110], [5, 120]]);
  assert.deepEqual(rates(`"time","hr"\n"${start / 1_000}","88"\n`), [[0, 88]]);
  assert.deepEqual([rates(""), rates("a,b\n1,2"), rates("<gpx>")], [[], [], []]);
});

test("damaged and hostile files give no error, and cost little", () => {
  for (const text of ["<a".repeat(200_000), "<hr ".repeat(100_000), `<hr>${"9".repeat(300_000)}`, ",".repeat(500_000), "time,hr\n".repeat(100_000)]) {
    assert.deepEqual(readPulseFile(text), []);
  }
});

test("only the time of the training counts, in samples of at least five seconds", () => {
  const samples = Array.from({ length: 600 }, (_, index) => ({ at: start + index * 1_000, bpm: 120 }));
  const within = samplesWithin(samples, { from: start + 60_000, until: start + 119_000 });
  assert.equal(within.length, 12);
  assert.equal(within[0].at, at(60));
  assert.deepEqual(samplesWithin(samples, { from: start + 3_600_000, until: start + 7_200_000 }), []);
  const day = Array.from({ length: 86_400 }, (_, index) => ({ at: start + index * 1_000, bpm: 100 }));
  assert.ok(samplesWithin(day, { from: start, until: start + 86_400_000 }).length <= samplesMax);
});

test("an average counts for all the time of a training", () => {
  const samples = samplesOfAverage(130, { from: start, until: start + 600_000 });
  const times = samples.map((one) => Date.parse(one.at));
  // A sample counts for 15 s at most.
  assert.ok(times.every((time, index) => index === 0 || time - times[index - 1] <= 15_000));
  assert.deepEqual([times[0], times.at(-1)], [start, start + 600_000]);
  assert.ok(samples.every(({ bpm }) => bpm === 130));
  assert.ok(samplesOfAverage(130, { from: start, until: start + 86_400_000 }).length <= samplesMax);
});

test("samples replace others by the first request, and an empty list removes them", () => {
  const samples = Array.from({ length: 700 }, (_, index) => ({ at: new Date(start + index * 5_000).toISOString(), bpm: 100 }));
  const training = { id: "t", generation: 3 };
  assert.deepEqual(pulseRequests(training, samples, { replaces: true }), [
    ["training.edit", { training: "t", pulse: samples.slice(0, 600) }],
    ["training.record", { training: "t", generation: 3, pulse: samples.slice(600) }],
  ]);
  assert.deepEqual(pulseRequests(training, [], { replaces: true }), [["training.edit", { training: "t", pulse: [] }]]);
});

test("the first samples of a training are added, 600 in a request", () => {
  const samples = Array.from({ length: 1_300 }, (_, index) => ({ at: new Date(index * 1_000).toISOString(), bpm: 90 }));
  const requests = pulseRequests({ id: "t", generation: 3 }, samples, { replaces: false });
  assert.deepEqual(requests.map(([method, { generation, pulse }]) => [method, generation, pulse.length]),
    [["training.record", 3, 600], ["training.record", 3, 600], ["training.record", 3, 100]]);
});
