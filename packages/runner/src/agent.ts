import { LightningError, type RolloutMode, type SpanInput } from "@agentlightning/core";
import type { AgentContext } from "./agent-context.ts";
import type { CoreSpan, ReturnedReadableSpan } from "./returned-span.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** What an agent may return: nothing, its final reward (`true` is 1, `false` is 0), or spans. */
export type AgentResult =
  | undefined
  | void
  | null
  | number
  | boolean
  | ReadonlyArray<SpanInput | CoreSpan | ReturnedReadableSpan>;

/** The user's code: runs one task. */
export type AgentFunction<TTask> = (task: TTask, context: AgentContext) => AgentResult | Promise<AgentResult>;

/** An agent, ready for a Runner or a Trainer. */
export interface Agent<TTask = unknown, TInput = TTask> {
  /** For log lines and reports. */
  readonly name: string;
  /** Checks a task before the agent runs. */
  readonly schema?: StandardSchema<TInput, TTask>;
  run(task: TTask, context: AgentContext): AgentResult | Promise<AgentResult>;
}

/** Options of the function form of {@link defineAgent}. */
export interface AgentOptions<TTask, TInput = TTask> {
  /** @defaultValue the function's name, else "agent" */
  readonly name?: string | undefined;
  /** Any Standard Schema; a task that it refuses fails its attempt with `task_invalid`. @defaultValue no check */
  readonly schema?: StandardSchema<TInput, TTask> | undefined;
}

/** Object form of {@link defineAgent}: one function for every mode, or one per mode. */
export interface AgentDefinition<TTask, TInput = TTask> extends AgentOptions<TTask, TInput> {
  /** Runs whatever mode has no function of its own. */
  readonly rollout?: AgentFunction<TTask> | undefined;
  readonly train?: AgentFunction<TTask> | undefined;
  /** Also runs tests and rollouts without a mode, unless `test` or `rollout` is there for them. */
  readonly val?: AgentFunction<TTask> | undefined;
  readonly test?: AgentFunction<TTask> | undefined;
}

function functionFor<TTask, TInput>(
  { rollout, train, val, test }: AgentDefinition<TTask, TInput>,
  mode: RolloutMode | undefined,
): AgentFunction<TTask> | undefined {
  if (mode === "train") return train ?? rollout;
  if (mode === "val") return val ?? rollout;
  if (mode === "test") return test ?? val ?? rollout;
  return rollout ?? val;
}

/**
 * Makes an agent of a function, or of an object with a schema and functions per mode.
 *
 * @throws invalid_options when neither `rollout` nor both `train` and `val` are there
 *
 * @example
 * const agent = defineAgent<{ question: string; answer: string }>(async (task, { llm }) =>
 *   (await ask(llm, task.question)).includes(task.answer) ? 1 : 0,
 * );
 */
export function defineAgent<TTask, TInput = TTask>(
  run: AgentFunction<TTask>,
  options?: AgentOptions<TTask, TInput>,
): Agent<TTask, TInput>;
export function defineAgent<TTask, TInput = TTask>(definition: AgentDefinition<TTask, TInput>): Agent<TTask, TInput>;
export function defineAgent<TTask, TInput>(
  source: AgentFunction<TTask> | AgentDefinition<TTask, TInput>,
  options?: AgentOptions<TTask, TInput>,
): Agent<TTask, TInput> {
  const definition: AgentDefinition<TTask, TInput> =
    typeof source === "function" ? { ...options, name: options?.name ?? source.name, rollout: source } : source;
  const { rollout, train, val, schema } = definition;
  if (typeof rollout !== "function" && (typeof train !== "function" || typeof val !== "function")) {
    throw new LightningError({
      code: "invalid_options",
      message: "defineAgent needs a function: give `rollout`, or both `train` and `val`.",
    });
  }
  return Object.freeze({
    name: definition.name || "agent",
    ...(schema === undefined ? {} : { schema }),
    run(task: TTask, context: AgentContext) {
      const agentFunction = functionFor(definition, context.mode);
      if (agentFunction !== undefined) return agentFunction(task, context);
      throw new LightningError({
        code: "invalid_options",
        message: "This agent has no function for a rollout without a mode: give it `rollout`, or enqueue with a mode.",
      });
    },
  });
}
