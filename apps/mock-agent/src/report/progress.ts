import type { BaselineProgress } from "@agentlightning/algorithm";
import { createLogUpdate } from "log-update";
import type { ScenarioRun } from "../run/run-scenario.ts";

/** Shows how a run stands, on standard error. */
export interface ProgressView {
  started(label: string): void;
  progress(label: string, progress: BaselineProgress): void;
  ended(label: string, run: ScenarioRun): void;
  close(): void;
}

const quietForMs = 5_000;
const stillAliveMs = 30_000;

function counts({ submitted, queued, running, succeeded, failed, cancelled, rewardMean }: BaselineProgress): string {
  const reward = rewardMean === undefined ? "" : `, reward ${rewardMean.toFixed(2)}`;
  return `${submitted} submitted, ${queued} queued, ${running} running, ${succeeded} succeeded, ${failed} failed, ${cancelled} cancelled${reward}`;
}

function verdict({ passed, durationMs, problems }: ScenarioRun): string {
  return passed ? `passed in ${(durationMs / 1_000).toFixed(2)} s` : `FAILED: ${problems[0] ?? ""}`;
}

/** A line when something starts or ends, and one now and then while it goes on, or waits; no escape codes. */
function plainView(stream: NodeJS.WriteStream): ProgressView {
  let current: { readonly label: string; readonly progress: BaselineProgress } | undefined;
  let lastMs = 0;
  const say = (text: string): void => {
    lastMs = performance.now();
    stream.write(`${text}\n`);
  };
  const sayCurrent = (): void => {
    if (current !== undefined) say(`${current.label}: ${counts(current.progress)}`);
  };
  // A run in which nothing moves looks dead without a line of its own.
  const waiting = setInterval(() => {
    if (performance.now() - lastMs >= stillAliveMs) sayCurrent();
  }, stillAliveMs);
  waiting.unref();
  return {
    started: (label) => say(`${label}: started`),
    progress: (label, progress) => {
      current = { label, progress };
      if (performance.now() - lastMs >= quietForMs) sayCurrent();
    },
    ended: (label, run) => {
      current = undefined;
      say(`${label}: ${verdict(run)}`);
    },
    close: () => clearInterval(waiting),
  };
}

/** A table that is drawn anew as things move. */
function liveView(stream: NodeJS.WriteStream): ProgressView {
  const draw = createLogUpdate(stream);
  const lines = new Map<string, string>();
  let pending: NodeJS.Timeout | undefined;
  const redraw = (): void => {
    pending ??= setTimeout(() => {
      pending = undefined;
      const width = Math.max(...[...lines.keys()].map((label) => label.length));
      draw([...lines].map(([label, text]) => `${label.padEnd(width)}  ${text}`).join("\n"));
    }, 50);
  };
  const set = (label: string, text: string): void => {
    lines.set(label, text);
    redraw();
  };
  return {
    started: (label) => set(label, "…"),
    progress: (label, progress) => set(label, counts(progress)),
    ended: (label, run) => set(label, verdict(run)),
    close: () => {
      clearTimeout(pending);
      draw.clear();
      draw.done();
    },
  };
}

/** A live table on a terminal, plain lines elsewhere. */
export function openProgressView(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): ProgressView {
  const isPlain =
    !stream.isTTY ||
    environment["CI"] !== undefined ||
    environment["TERM"] === "dumb" ||
    environment["NO_COLOR"] !== undefined;
  return isPlain ? plainView(stream) : liveView(stream);
}
