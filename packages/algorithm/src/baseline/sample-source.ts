import type { Sample } from "./samples.ts";

/** Asks for samples ahead of need, one at a time, and never waits for them itself: a stream that pauses holds nobody up. */
export class SampleSource<T> {
  readonly #samples: AsyncGenerator<Sample<T>, void, undefined>;
  readonly #onAnswer: () => void;
  readonly #ready: Sample<T>[] = [];
  #wanted = 0;
  #isAsking = false;
  #hasEnded = false;
  #failure: { readonly error: unknown } | undefined;

  /** @param onAnswer - Called when a sample arrives, when there is none left, and when the dataset fails. */
  constructor(samples: AsyncGenerator<Sample<T>, void, undefined>, onAnswer: () => void) {
    this.#samples = samples;
    this.#onAnswer = onAnswer;
  }

  /** Whether the first answer has come. */
  get hasAnswered(): boolean {
    return this.#ready.length > 0 || this.#hasEnded || this.#failure !== undefined;
  }

  /** Whether there is no sample left. */
  get isExhausted(): boolean {
    return this.#hasEnded && this.#ready.length === 0;
  }

  /** What the dataset threw, if it did. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Sees to it that `wanted` samples get ready. */
  ask(wanted: number): void {
    this.#wanted = wanted;
    if (this.#isAsking || this.#hasEnded || this.#failure !== undefined || this.#ready.length >= wanted) return;
    this.#isAsking = true;
    this.#samples.next().then(
      ({ done, value }) => {
        this.#isAsking = false;
        if (done === true) this.#hasEnded = true;
        else this.#ready.push(value);
        this.ask(this.#wanted);
        this.#onAnswer();
      },
      (error: unknown) => {
        this.#failure = { error };
        this.#onAnswer();
      },
    );
  }

  /** At most `count` samples that are ready now. */
  take(count: number): readonly Sample<T>[] {
    const taken = this.#ready.splice(0, count);
    this.ask(Math.max(1, count - taken.length));
    return taken;
  }

  /** Tells the dataset that no more is wanted; does not wait for a sample that it may be waiting for. */
  close(): void {
    this.#samples.return().catch(() => undefined);
  }
}
