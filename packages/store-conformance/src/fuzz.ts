import { LightningError, type LightningStore, type Runtime, systemRuntime } from "@agentlightning/core";
import { Acquaintances, type FuzzCall, nextCall } from "./fuzz-calls.ts";
import { FuzzFinding, insistDrains, insistInvariants, insistPlain } from "./fuzz-check.ts";
import { Dice } from "./fuzz-values.ts";

/** What {@link fuzzStore} does. */
export interface FuzzOptions {
  /** How many calls are made. */
  readonly calls: number;
  /** The same seed makes the same calls, as far as the store gives the same ids. */
  readonly seed: number;
  /** How long one call may take, in milliseconds. @defaultValue 10,000 */
  readonly callTimeoutMs?: number | undefined;
  /** @defaultValue the process's own */
  readonly runtime?: Runtime | undefined;
}

/** What came of it: how many calls gave a result, and how many each error. */
export interface FuzzReport {
  readonly seed: number;
  readonly results: number;
  readonly refusals: Readonly<Record<string, number>>;
}

/** Longer than every short deadline that the calls set. */
const settleMs = 50;

/**
 * Makes calls of any kind with values of any kind, and insists that each answers with plain values or a typed
 * `LightningError`, in time, and that the store's invariants hold now and then and at the end.
 *
 * @throws Error naming the seed and the call, for the first thing that does not hold
 */
export async function fuzzStore(store: LightningStore, options: FuzzOptions): Promise<FuzzReport> {
  const { calls, seed, callTimeoutMs = 10_000, runtime = systemRuntime } = options;
  const dice = new Dice(seed);
  const met = new Acquaintances();
  const refusals: Record<string, number> = {};
  let results = 0;
  let last: FuzzCall | undefined;
  let made = 0;
  try {
    for (; made < calls; made += 1) {
      last = nextCall(dice, met);
      const code = await inTime(make(store, last, met), callTimeoutMs, runtime);
      if (code === undefined) results += 1;
      else refusals[code] = (refusals[code] ?? 0) + 1;
      if (made % 25_000 === 24_999) await insistInvariants(store, met);
    }
    last = undefined;
    await pause(settleMs, runtime);
    await insistInvariants(store, met);
    await insistDrains(store);
  } catch (cause) {
    const place = last === undefined ? "after all calls" : `at call ${made}, ${describe(last)}`;
    const problem = cause instanceof Error ? `${cause.name}: ${cause.message}` : "something else was thrown";
    throw new Error(`fuzz with seed ${seed}, ${place}: ${problem}`, { cause });
  }
  return { seed, results, refusals };
}

/** Makes a call; the code of its refusal, if it was one. */
async function make(
  store: LightningStore,
  { method, args }: FuzzCall,
  met: Acquaintances,
): Promise<string | undefined> {
  const target: unknown = Reflect.get(store, method);
  if (typeof target !== "function") throw new FuzzFinding(`the store has no ${method}`);
  noteHand(method, args, met);
  try {
    const result: unknown = await Reflect.apply(target, store, args);
    if (method === "watchRollouts") await endWatch(result);
    else insistPlain(withoutIterator(result), method);
    noteMet(result, met);
    return undefined;
  } catch (cause) {
    if (!LightningError.isInstance(cause) || cause.code === "invariant") throw cause;
    return cause.code;
  }
}

/** A page without its iterator, which is no plain value and need not be. */
function withoutIterator(result: unknown): unknown {
  return typeof result === "object" && result !== null && "items" in result ? result.items : result;
}

async function endWatch(result: unknown): Promise<void> {
  const iterator = (result as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const pending = iterator.next();
  await iterator.return?.();
  await pending;
}

function textField(value: unknown, field: string): string | undefined {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
  return typeof found === "string" ? found : undefined;
}

/** Whose status or numbers this call may set by hand. */
function noteHand(method: string, args: readonly unknown[], met: Acquaintances): void {
  const [first] = args;
  if (
    (method === "updateRollout" || method === "updateAttempt" || method === "startAttempt") &&
    typeof first === "string"
  )
    met.setByHand.add(first);
  for (const span of method === "addSpan" ? [first] : method === "addManySpans" && Array.isArray(first) ? first : []) {
    const rolloutId = textField(span, "rolloutId");
    if (rolloutId !== undefined && Reflect.has(span as object, "sequenceId")) met.numberedByHand.add(rolloutId);
  }
}

function noteMet(result: unknown, met: Acquaintances): void {
  for (const item of Array.isArray(result) ? result : [result]) {
    const rolloutId = textField(item, "rolloutId");
    if (rolloutId === undefined || textField(item, "spanId") !== undefined) continue;
    const attempt: unknown = Reflect.get(item as object, "attempt");
    if (textField(item, "status") !== undefined && textField(item, "attemptId") === undefined)
      met.meet(rolloutId, textField(attempt, "attemptId"));
  }
}

function describe({ method, args }: FuzzCall): string {
  const shown = args.map((arg) => {
    try {
      return (JSON.stringify(arg) ?? typeof arg).slice(0, 2_000);
    } catch {
      return `a ${typeof arg} that is no JSON`;
    }
  });
  return `${method}(${shown.join(", ")})`;
}

function pause(delayMs: number, { clock }: Runtime): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, delayMs));
}

async function inTime<T>(work: Promise<T>, timeoutMs: number, { clock }: Runtime): Promise<T> {
  let stop = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const timer = clock.setTimer(() => reject(new FuzzFinding(`no answer within ${timeoutMs} ms`)), timeoutMs);
    stop = () => timer.cancel();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}
