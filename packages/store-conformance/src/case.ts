import type { LightningStore, StoreCapabilities } from "@agentlightning/core";
import type { StoreDriver } from "@agentlightning/store-kit";

/** What the cases are sorted by; each has a file of its own. */
export const aspects = [
  "queue",
  "attempts",
  "retries",
  "liveness",
  "leases",
  "spans",
  "sequence numbers",
  "resources",
  "workers",
  "queries",
  "waiting",
  "isolation",
  "idempotency",
  "limits",
  "durability",
  "two handles",
  "faults",
  "model",
] as const;

/** What a case looks at. */
export type Aspect = (typeof aspects)[number];

/** What a store or its fixture must offer for a case to apply. */
export type Requirement = "durable" | "many handles" | "driver" | "injected clock";

/** What a case works with. Every handle it opens is closed after it. */
export interface CaseContext {
  /** A handle on the namespace of this case, which was empty before. */
  readonly store: LightningStore;
  readonly capabilities: StoreCapabilities;
  readonly clock: "injected" | "backend";
  /** The unit of every duration in a case, in milliseconds: the store is as good as at rest for a fraction of it. */
  readonly unitMs: number;
  /** Lets time pass: the injected clock's, or real time and a little more. */
  advance(ms: number): Promise<void>;
  /** A further handle: on the namespace of this case, or on another one. */
  open(options?: { readonly namespace?: string }): Promise<LightningStore>;
  /** A further handle over a driver that `change` may tamper with; only where `driver` is required. */
  openOver(change: (driver: StoreDriver) => StoreDriver): Promise<LightningStore>;
  /** A number in [0, 1), the same again for the same seed. */
  readonly random: () => number;
  /** The seed of this run. */
  readonly seed: number;
  /** How many random histories a case tries. */
  readonly histories: number;
}

/** One thing that must hold. */
export interface ConformanceCase {
  readonly aspect: Aspect;
  /** A sentence that says what holds. Unique in the suite. */
  readonly name: string;
  /** Without these the case says nothing about the store, and is left out. */
  readonly requires?: readonly Requirement[] | undefined;
  run(context: CaseContext): Promise<void>;
}

/** What a case is written with: its name, what it runs, and what it requires. */
type CaseEntry = readonly [name: string, run: ConformanceCase["run"], requires?: readonly Requirement[]];

/** The cases of one aspect. */
export function casesOf(aspect: Aspect, entries: readonly CaseEntry[]): readonly ConformanceCase[] {
  return entries.map(([name, run, requires]) => ({ aspect, name, run, requires }));
}
