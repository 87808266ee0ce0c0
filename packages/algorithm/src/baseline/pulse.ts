import type { Runtime } from "@agentlightning/core";

/** Wakes one loop; a beat that comes while the loop works is not lost. */
export class Pulse {
  #beaten = false;
  #wake: (() => void) | undefined;

  beat(): void {
    this.#beaten = true;
    this.#wake?.();
  }

  /** True for a beat, false when there was none for `timeoutMs`. */
  async wait({ clock }: Runtime, timeoutMs: number): Promise<boolean> {
    if (!this.#beaten) {
      await new Promise<void>((resolve) => {
        const timer = clock.setTimer(resolve, timeoutMs);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
      this.#wake = undefined;
    }
    const beaten = this.#beaten;
    this.#beaten = false;
    return beaten;
  }
}
