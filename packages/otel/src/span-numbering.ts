import { withoutTracing } from "./suppress-tracing.ts";
import type { ResolvedAttemptTraceOptions } from "./attempt-trace-options.ts";
import type { StartTicket } from "./span-sink.ts";

/** Asks the store for sequence numbers in the order in which spans started; never throws, never waits for ever. */
export class SpanNumbering {
  readonly #options: ResolvedAttemptTraceOptions;
  readonly #unnumbered = new Set<StartTicket>();

  constructor(options: ResolvedAttemptTraceOptions) {
    this.#options = options;
  }

  add(ticket: StartTicket): void {
    this.#unnumbered.add(ticket);
  }

  forget(ticket: StartTicket): void {
    this.#unnumbered.delete(ticket);
  }

  /** Asks for the numbers of all that started so far. Not awaited by whoever starts a span. */
  reserve(): void {
    const tickets = [...this.#unnumbered];
    if (tickets.length === 0) return;
    this.#unnumbered.clear();
    const numbers = this.#ask(tickets.length);
    tickets.forEach((ticket, index) => {
      ticket.sequenceId = numbers.then((given) => given[index]);
    });
  }

  /** Without an answer in half a flush's time the store gives the numbers at delivery, which then still has its half. */
  #ask(count: number): Promise<readonly number[]> {
    const { store, identity, runtime, flushTimeoutMs } = this.#options;
    const pair = [identity.rolloutId, identity.attemptId] as const;
    const asked = withoutTracing(async () => store.getManySpanSequenceIds(Array.from({ length: count }, () => pair)));
    return new Promise((resolve) => {
      const timer = runtime.clock.setTimer(() => resolve([]), flushTimeoutMs / 2, { keepAlive: false });
      const settle = (given: readonly number[]): void => {
        timer.cancel();
        resolve(given);
      };
      asked.then(settle, () => settle([]));
    });
  }
}
