// The heart rate of a training: from a monitor or entered by hand, as samples of the record. It lasts as long as the training is guided,
// on whatever page. No DOM.

import { systemScheduler, Timer } from "../client/scheduler.js";
import { PulseBuckets, zoneOf } from "./heartrate.js";
import { HeartSensor, canConnect } from "./heartsensor.js";

/** Samples of so long go in one request. */
const requestSamples = 24;
const staleMilliseconds = 15_000;

/** Emits `change` when `last`, `maximum` or the state of the monitor is another. */
export class Pulse extends EventTarget {
  /** The monitor; null where the browser can connect none. */
  sensor;
  /** The last rate, `{bpm, at, contact}`; null without one of the last seconds, and while the monitor is lost. */
  last = null;
  maximum = null;

  #net; #guide; #flush;
  #buckets = new PulseBuckets();
  /** Ends the last rate once it is old. */
  #stale;
  #end = new AbortController();

  /** `flush()` sends the samples of the record. */
  constructor(net, guide, { flush, sensor = canConnect() ? new HeartSensor() : null, scheduler = systemScheduler }) {
    super();
    this.#stale = new Timer(scheduler);
    this.#net = net;
    this.#guide = guide;
    this.#flush = flush;
    this.sensor = sensor;
    const { signal } = this.#end;
    sensor?.addEventListener("rate", (/** @type {any} */ { detail }) => this.#take(detail.bpm, detail.contact), { signal });
    sensor?.addEventListener("change", () => {
      if (["lost", "off"].includes(sensor.state)) this.last = null;
      this.#emit();
    }, { signal });
    net.addEventListener("state", () => { if (net.state === "live") this.#loadMaximum(); }, { signal });
    this.#loadMaximum();
  }

  /** The zone of the last rate; null without a rate of the last seconds or without a maximum. */
  get zone() {
    const { last } = this;
    return last && this.#net.clock.now() - last.at < staleMilliseconds ? zoneOf(last.bpm, this.maximum) : null;
  }

  /** Takes a rate that the person entered. */
  enter(bpm) {
    const at = this.#net.clock.now();
    this.#note({ bpm, at, contact: null });
    this.#add({ at: new Date(at).toISOString(), bpm });
    this.#emit();
  }

  /** Takes what was collected since the last sample. */
  collect() {
    this.#add(this.#buckets.flush());
  }

  close() {
    this.collect();
    this.#end.abort();
    this.#stale.clear();
    this.sensor?.disconnect();
  }

  #note(rate) {
    this.last = rate;
    this.#stale.set(staleMilliseconds, () => {
      this.last = null;
      this.#emit();
    });
  }

  async #loadMaximum() {
    try {
      const body = await this.#net.read("body.get");
      this.maximum = body.maximumPulse ?? body.estimatedMaximumPulse ?? null;
      this.#emit();
    } catch {
      // Without it there are no zones; the next connection brings it.
    }
  }

  #take(bpm, contact) {
    const at = this.#net.clock.now();
    this.#note({ bpm, at, contact });
    this.#add(this.#buckets.add(bpm, at));
    this.#emit();
  }

  #add(sample) {
    const guide = this.#guide;
    if (!sample || guide.state === "finished") return;
    // The span of time of the first sample may have begun before the training.
    const at = new Date(Math.max(Date.parse(sample.at), guide.record.startedAt)).toISOString();
    guide.noteSent({ pulse: [...guide.record.pulse, { ...sample, at }] });
    if (guide.record.pulse.length >= requestSamples) this.#flush();
  }

  #emit() {
    this.dispatchEvent(new Event("change"));
  }
}
