import type { BaselineOptions } from "@agentlightning/algorithm";
import type { LightningStore, RolloutStatus } from "@agentlightning/core";
import type { Agent } from "@agentlightning/runner";
import type { HarnessAgent } from "../agents/harness-agent.ts";
import type { ReplyRule } from "../model-server/reply.ts";
import type { RolloutEvidence } from "../run/evidence.ts";

/** What must come of one task. */
export interface Expectation {
  readonly status: RolloutStatus;
  /** @defaultValue 1 */
  readonly attempts?: number | undefined;
  /** Whether its latest attempt must carry a reward. @defaultValue whether it succeeds */
  readonly rewarded?: boolean | undefined;
}

/** What a scenario is made for. */
export interface ScenarioSetting {
  readonly agent: HarnessAgent;
  readonly tasks: readonly unknown[];
  readonly makeAgent: () => Agent<unknown, unknown>;
}

/** A scenario, ready to run. */
export interface ScenarioPlan {
  readonly agent: Agent<unknown, unknown>;
  readonly tasks: readonly unknown[];
  readonly baseline?: BaselineOptions | undefined;
  /** Model rules that go before the agent's own. */
  readonly modelRules?: readonly ReplyRule[] | undefined;
  /** Goes on beside the run, until `signal` aborts. */
  readonly beside?: ((store: LightningStore, signal: AbortSignal) => Promise<void>) | undefined;
  readonly expect: (task: unknown, index: number) => Expectation;
  /** What else must hold of a rollout; gives what does not. */
  readonly check?: ((evidence: RolloutEvidence) => readonly string[]) | undefined;
  /** Whether model-call spans are promised. @defaultValue true */
  readonly callsModel?: boolean | undefined;
  /** Mean reward, where it is known before. */
  readonly expectedReward?: number | undefined;
}

/** One way for a run to go. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Agents that it makes sense for; it is run with each. */
  readonly agents: readonly string[];
  readonly taskCount: number;
  plan(setting: ScenarioSetting): ScenarioPlan;
}
