import { type LightningStore, systemRuntime, type Runtime } from "@agentlightning/core";
import { createSeededRandom, createTestRuntime } from "@agentlightning/core/testing";
import { createStore, type StoreDriver } from "@agentlightning/store-kit";
import type { CaseContext, ConformanceCase, Requirement } from "./case.ts";
import type { OpenOptions, StoreFixture } from "./fixture.ts";
import { quiet } from "./quiet.ts";
import { within } from "./within.ts";

/** Real time that is waited beyond what a case asks for, where the backend owns the clock; in units. */
const backendMargin = 0.5;

/** Time as a case sees it. */
interface CaseTime {
  readonly runtime: Runtime;
  readonly unitMs: number;
  advance(ms: number): Promise<void>;
}

function timeOf(fixture: StoreFixture, seed: number): CaseTime {
  if (fixture.clock === "backend") {
    const { unitMs = 400 } = fixture;
    const { ids, random } = createTestRuntime({ seed });
    return {
      runtime: { ...systemRuntime, ids, random },
      unitMs,
      advance: (ms) =>
        new Promise((resolve) => void systemRuntime.clock.setTimer(resolve, ms + backendMargin * unitMs)),
    };
  }
  const runtime = createTestRuntime({ seed, startMs: 1_700_000_000_000 });
  return { runtime, unitMs: 1_000, advance: (ms) => runtime.clock.advance(ms) };
}

async function openHandle(
  fixture: StoreFixture,
  options: OpenOptions,
  change: (driver: StoreDriver) => StoreDriver = (driver) => driver,
): Promise<LightningStore> {
  if (fixture.openDriver === undefined) {
    if (fixture.open === undefined) throw new TypeError(`fixture ${fixture.name} has neither open nor openDriver`);
    return fixture.open(options);
  }
  const driver = await fixture.openDriver(options);
  return createStore(change(driver), { runtime: options.runtime, deepFreeze: true });
}

/** What the fixture and the store offer of what cases may require. */
export async function offeredBy(fixture: StoreFixture): Promise<ReadonlySet<Requirement>> {
  const offered = new Set<Requirement>();
  if (fixture.openDriver !== undefined) offered.add("driver");
  if (fixture.isSingleHandle !== true) offered.add("many handles");
  if (fixture.clock !== "backend") offered.add("injected clock");
  const namespace = newNamespace();
  const store = await openHandle(fixture, { namespace, runtime: systemRuntime });
  if (store.capabilities.durable) offered.add("durable");
  await store.close();
  await fixture.drop?.(namespace);
  return offered;
}

let namespaceCount = 0;

/** A namespace that no other case and no other process uses. */
function newNamespace(): string {
  namespaceCount += 1;
  return `conformance-${systemRuntime.ids.spanId()}-${namespaceCount}`;
}

/** How cases are run. */
export interface RunOptions {
  readonly seed: number;
  /** Random histories for each case that tries some. */
  readonly histories: number;
  /** Real time after which a case counts as stuck, in milliseconds; by default a minute, ten for random histories. */
  readonly caseLimitMs?: number | undefined;
}

/** Real time after which a case counts as stuck, in milliseconds. */
export function limitOf({ aspect }: ConformanceCase, { caseLimitMs }: RunOptions): number {
  return caseLimitMs ?? (aspect === "model" ? 600_000 : 60_000);
}

/** Runs one case on a namespace of its own. Throws what the case throws; the message says where its data is. */
export async function runCase(fixture: StoreFixture, test: ConformanceCase, options: RunOptions): Promise<void> {
  const { seed, histories } = options;
  const limitMs = limitOf(test, options);
  const namespace = newNamespace();
  const time = timeOf(fixture, seed);
  const handles: LightningStore[] = [];
  const open = async (
    at: string = namespace,
    change?: (driver: StoreDriver) => StoreDriver,
  ): Promise<LightningStore> => {
    const handle = await openHandle(fixture, { namespace: at, runtime: time.runtime }, change);
    handles.push(handle);
    return quiet(handle);
  };
  try {
    const store = await open();
    const context: CaseContext = {
      store,
      capabilities: store.capabilities,
      clock: fixture.clock ?? "injected",
      unitMs: time.unitMs,
      advance: (ms) => time.advance(ms),
      open: (options = {}) => open(options.namespace),
      openOver: (change) => open(namespace, change),
      random: createSeededRandom(seed),
      seed,
      histories,
    };
    await within(test.run(context), limitMs, "the case");
  } catch (cause) {
    // A store that is stuck may be stuck in closing, too; what failed first is what matters.
    const closed = Promise.allSettled(handles.map((handle) => handle.close()));
    await within(closed, limitMs, "closing").catch(() => undefined);
    throw located(cause, fixture, namespace);
  }
  await Promise.all(handles.map((handle) => handle.close()));
  await fixture.drop?.(namespace);
}

/** The same error, its message followed by where the data of the case is. */
function located(cause: unknown, fixture: StoreFixture, namespace: string): Error {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const place = fixture.locate?.(namespace) ?? `namespace ${namespace}`;
  error.message = `${error.message}\n(${fixture.name}; its data is left at: ${place})`;
  return error;
}
