// Sounds and vibration of the guided session. Vibration is on; sound is off until the person wants it, as others may be in the room.

const key = "campanile.trainingCues";
const usual = { sound: false, vibration: true };
const patterns = { restOver: [200, 100, 200], setOver: [300], done: [100, 60, 100, 60, 300] };
const tones = { restOver: [660, 880], setOver: [880], done: [523, 659, 784] };
const toneSeconds = 0.16;
/** Longer than all tones of a cue. */
const closeMilliseconds = 1_000;

/** The person's choice in this browser. */
export function cueChoice(storage = localStorage) {
  try {
    return { ...usual, ...JSON.parse(storage.getItem(key) ?? "{}") };
  } catch {
    return usual;
  }
}

export function chooseCue(name, isOn, storage = localStorage) {
  storage.setItem(key, JSON.stringify({ ...cueChoice(storage), [name]: isOn }));
}

export const canVibrate = () => typeof navigator.vibrate === "function";

/** Plays cues. Browsers allow sound after the first tap: `unlock()` is called by one. */
export class Cues {
  /** @type {AudioContext | null} */
  #audio = null;

  unlock() {
    if (!cueChoice().sound) return;
    const Context = globalThis.AudioContext ?? /** @type {any} */ (globalThis).webkitAudioContext;
    if (!Context) return;
    this.#audio ??= new Context();
    if (this.#audio.state === "suspended") this.#audio.resume().catch(() => {});
  }

  play(name) {
    const { sound, vibration } = cueChoice();
    if (vibration && canVibrate() && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate(patterns[name] ?? []);
    if (sound && this.#audio) for (const [index, hertz] of (tones[name] ?? []).entries()) this.#tone(hertz, index * toneSeconds);
  }

  /** Lets the tones end that are played, and frees the sound card then. */
  closeSoon() {
    const audio = this.#audio;
    this.#audio = null;
    if (audio) setTimeout(() => audio.close().catch(() => {}), closeMilliseconds);
  }

  #tone(hertz, after) {
    const audio = /** @type {AudioContext} */ (this.#audio);
    const start = audio.currentTime + after;
    const oscillator = audio.createOscillator();
    const gain = audio.createGain();
    oscillator.frequency.value = hertz;
    gain.gain.setValueAtTime(0.18, start);
    gain.gain.exponentialRampToValueAtTime(0.001, start + toneSeconds);
    oscillator.connect(gain).connect(audio.destination);
    oscillator.start(start);
    oscillator.stop(start + toneSeconds);
  }
}
