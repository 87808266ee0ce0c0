import { setImmediate as nextTurn } from "node:timers/promises";
import { LightningError, type Logger, type NamedResources, type Span } from "@agentlightning/core";
import { AttemptTrace } from "@agentlightning/otel";
import type { AttemptEnvironment, ExecutedAttempt } from "./attempt-environment.ts";
import { createAgentContext } from "./create-context.ts";
import { deliverSpans } from "./deliver-spans.ts";
import { errorText } from "./error-text.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { HookContext, RunnerHooks, TraceHookContext } from "./hooks.ts";
import { withFields } from "./logger-fields.ts";
import { openAttempt } from "./open-attempt.ts";
import { reportEnd } from "./report-end.ts";
import { runHooks } from "./run-hooks.ts";
import type { RunningAttempt } from "./running-attempt.ts";
import { type AgentEnd, settleAgent } from "./settle-agent.ts";
import { judge, type Verdict } from "./verdict.ts";
import { Watchdog } from "./watchdog.ts";

/** One attempt from claim to report; all its state is its own, so that attempts of one runner never mix. */
export class AttemptExecution {
  readonly #running: RunningAttempt;
  readonly #environment: AttemptEnvironment;
  readonly #log: Logger;
  readonly #hookContext: HookContext;
  #trace: AttemptTrace | undefined;
  #traceContext: TraceHookContext | undefined;

  constructor(running: RunningAttempt, environment: AttemptEnvironment) {
    const { options } = environment;
    this.#running = running;
    this.#environment = environment;
    this.#log = withFields(options.logger, { rolloutId: running.rolloutId, attemptId: running.attemptId });
    this.#hookContext = {
      rollout: running.claim,
      attempt: running.claim.attempt,
      runnerId: options.runnerId,
      agentName: options.agent.name,
    };
  }

  get #hasHooks(): boolean {
    return this.#environment.options.hooks.length > 0;
  }

  get log(): Logger {
    return this.#log;
  }

  /**
   * Runs the agent and ends the attempt in the fixed order: spans, reward, hooks, report. Never rejects.
   *
   * @param onAgentOver - Called when the agent is over; what follows then waits for the next turn of the event loop, so
   * that whoever is ready to start goes first.
   */
  async run(onAgentOver?: () => void): Promise<ExecutedAttempt> {
    const { runtime, settleMs } = this.#environment.options;
    const running = this.#running;
    const spansSeen = (): number => this.#trace?.spansSeen ?? 0;
    const watchdog = new Watchdog(runtime.clock, running, running.claim.config, spansSeen);
    let end: AgentEnd;
    try {
      end = await settleAgent(running, () => this.#runAgent(watchdog), { clock: runtime.clock, settleMs });
    } finally {
      watchdog.stop();
    }
    const owner = {
      rolloutId: running.rolloutId,
      attemptId: running.attemptId,
      traceId: runtime.ids.traceId(),
      nowMs: runtime.clock.nowMs(),
      ids: runtime.ids,
    };
    const verdict = judge(end, running.cause, owner);
    if (onAgentOver !== undefined) {
      onAgentOver();
      await nextTurn();
    }
    return this.#finish(verdict, end.status === "abandoned");
  }

  async #runAgent(watchdog: Watchdog): Promise<AgentEnd> {
    const running = this.#running;
    if (this.#hasHooks) await this.#runHooks("onRolloutStart", (hooks) => hooks.onRolloutStart?.(this.#hookContext));
    const { resources, task, refused } = await openAttempt(running, this.#environment);
    // Told to stop meanwhile: its end is decided, and nobody may be waiting for it any more.
    if (running.settled || running.cause !== undefined) return { status: "prevented", error: running.cause };
    const trace = this.#openTrace(resources);
    if (refused !== undefined) return refused;
    const heartbeat = new Heartbeat(this.#environment.options.store, running, this.#log);
    const context = createAgentContext({
      running,
      resources,
      trace,
      log: this.#log,
      warnOnce: this.#environment.warnOnce,
      heartbeat: () => {
        watchdog.sign();
        heartbeat.send();
      },
    });
    const traceContext: TraceHookContext = { ...this.#hookContext, resources, tracer: trace.tracer };
    return trace.run(async () => {
      if (this.#hasHooks) await this.#runHooks("onTraceStart", (hooks) => hooks.onTraceStart?.(traceContext));
      this.#traceContext = traceContext;
      if (running.cause !== undefined) return { status: "prevented", error: running.cause };
      return { status: "returned", value: await this.#environment.options.agent.run(task, context) };
    });
  }

  #openTrace(resources: NamedResources): AttemptTrace {
    const { store, flushTimeoutMs, logger, runtime } = this.#environment.options;
    const proxied = Object.values(resources).some((resource) => resource.resourceType === "proxy_llm");
    this.#trace = new AttemptTrace({
      store,
      identity: { rolloutId: this.#running.rolloutId, attemptId: this.#running.attemptId },
      tracing: this.#environment.tracing,
      reserveSequenceNumbers: proxied,
      flushTimeoutMs,
      logger,
      runtime,
    });
    return this.#trace;
  }

  async #finish(judged: Verdict, abandoned: boolean): Promise<ExecutedAttempt> {
    const { flushTimeoutMs, onSpanLoss } = this.#environment.options;
    const trace = this.#trace;
    if (abandoned) this.#log.warn("the agent did not stop when it was told to; its slot goes on without it");
    const traceContext = this.#traceContext;
    if (trace !== undefined && traceContext !== undefined && this.#hasHooks) {
      await trace.run(() => this.#runHooks("onTraceEnd", (hooks) => hooks.onTraceEnd?.(traceContext)));
    }
    const droppedSpans =
      trace === undefined ? 0 : await deliverSpans({ trace, verdict: judged, flushTimeoutMs, log: this.#log });
    const verdict = droppedSpans > 0 && onSpanLoss === "fail" ? failedBySpanLoss(judged, droppedSpans) : judged;
    const spans: readonly Span[] = trace?.deliveredSpans() ?? [];
    const { outcome, error } = verdict;
    const hasError = verdict.isAgentError || error !== undefined;
    const endContext = { ...this.#hookContext, spans, outcome, ...(hasError ? { error } : {}) };
    if (this.#hasHooks) await this.#runHooks("onRolloutEnd", (hooks) => hooks.onRolloutEnd?.(endContext));
    const reported = await reportEnd(
      this.#running,
      { outcome, error: hasError ? errorText(error) : undefined, droppedSpans },
      { options: this.#environment.options, log: this.#log, hurry: this.#environment.hurry },
    );
    return { outcome: reported, verdict, spans, droppedSpans, abandoned };
  }

  #runHooks(name: keyof RunnerHooks, call: (listener: RunnerHooks) => void | Promise<void>): Promise<void> {
    const { hooks, runtime } = this.#environment.options;
    return runHooks({ hooks, clock: runtime.clock, log: this.#log }, name, call);
  }
}

function failedBySpanLoss(verdict: Verdict, droppedSpans: number): Verdict {
  if (verdict.outcome !== "succeeded") return verdict;
  const message = `${droppedSpans} spans of this attempt could not be delivered.`;
  return { ...verdict, outcome: "failed", error: new LightningError({ code: "spans_lost", message }) };
}
