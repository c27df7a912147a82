// Short sounds, made by the browser itself: a click for a move, two tones for the end. Silent unless the person wants them.

import { settings } from "./settings.svelte";

let context: AudioContext | null = null;

/** Says that sounds may be made: browsers allow it only after a click. */
export function wakeSound(): void {
  context ??= new AudioContext();
  void context.resume();
}

export function sound(what: "move" | "end"): void {
  if (!settings.hasSound || typeof AudioContext === "undefined") return;
  wakeSound();
  if (what === "move") tone(520, 0, 0.05);
  else for (const [i, pitch] of [392, 523].entries()) tone(pitch, 0.16 * i, 0.22);
}

function tone(pitch: number, delay: number, seconds: number): void {
  const { currentTime, destination } = context!;
  const [oscillator, volume] = [context!.createOscillator(), context!.createGain()];
  oscillator.type = "triangle";
  oscillator.frequency.value = pitch;
  const start = currentTime + delay;
  volume.gain.setValueAtTime(0.12, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + seconds);
  oscillator.connect(volume).connect(destination);
  oscillator.start(start);
  oscillator.stop(start + seconds);
}
