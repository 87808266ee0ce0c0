/** What a caller can know from an error's code alone. */
export interface ErrorCodeEntry {
  /** Whether repeating the same call later may succeed. */
  readonly retryable: boolean;
  /** What to do about it. */
  readonly remedy: string;
}

/** Closed list of the codes a {@link LightningError} can carry. */
export type LightningErrorCode =
  | "invalid_input"
  | "invalid_options"
  | "rollout_not_found"
  | "attempt_not_found"
  | "resources_not_found"
  | "resource_missing"
  | "evicted"
  | "conflict"
  | "store_full"
  | "too_large"
  | "attempt_limit"
  | "unavailable"
  | "timeout"
  | "aborted"
  | "closed"
  | "unsupported"
  | "algorithm_not_fast"
  | "not_configured"
  | "llm_proxy_required"
  | "empty_dataset"
  | "dataset_invalid"
  | "task_invalid"
  | "agent_result_invalid"
  | "agent_failed"
  | "bridge_not_registered"
  | "otel_sdk_missing"
  | "otel_api_duplicate"
  | "no_active_rollout"
  | "spans_lost"
  | "stalled"
  | "invariant";

/** Each {@link LightningErrorCode}: whether a repeat may help, and the remedy. */
export const errorCodes: Readonly<Record<LightningErrorCode, ErrorCodeEntry>> = {
  invalid_input: { retryable: false, remedy: "Correct the named value; nothing was stored." },
  invalid_options: { retryable: false, remedy: "Correct the named option." },
  rollout_not_found: { retryable: false, remedy: "Check the rollout id and the store (or namespace) it was made in." },
  attempt_not_found: { retryable: false, remedy: "Check the attempt id; attempts belong to one rollout." },
  resources_not_found: { retryable: false, remedy: "Add the resources first, or enqueue with an id that exists." },
  resource_missing: { retryable: false, remedy: "Give the resource the agent asks for, e.g. in initialResources." },
  evicted: { retryable: false, remedy: "Raise the retention bound, or read results before they are evicted." },
  conflict: { retryable: false, remedy: "Read the current value and decide again." },
  store_full: { retryable: true, remedy: "Let running rollouts finish, or raise the store's bound." },
  too_large: { retryable: false, remedy: "Make the named value smaller, or raise the store's limit." },
  attempt_limit: { retryable: false, remedy: "Start a new rollout; this one has used all attempts a record may hold." },
  unavailable: { retryable: true, remedy: "Check that the store or server can be reached, then repeat." },
  timeout: { retryable: true, remedy: "Wait longer, or find out what is slow." },
  aborted: { retryable: false, remedy: "The caller's AbortSignal ended this call." },
  closed: { retryable: false, remedy: "Open a new handle; this one was closed." },
  unsupported: { retryable: false, remedy: "Use a store, engine or resource kind that offers this." },
  algorithm_not_fast: { retryable: false, remedy: "Use fit(), or an algorithm derived from FastAlgorithm." },
  not_configured: { retryable: false, remedy: "Set the named part before using it." },
  llm_proxy_required: { retryable: false, remedy: "Give the Trainer an llmProxy." },
  empty_dataset: { retryable: false, remedy: "Give a dataset with at least one sample." },
  dataset_invalid: { retryable: false, remedy: "Correct the named line of the dataset." },
  task_invalid: { retryable: false, remedy: "Make the task match the agent's schema." },
  agent_result_invalid: { retryable: false, remedy: "Return nothing, a finite number, a boolean, or spans." },
  agent_failed: { retryable: false, remedy: "See the cause; the agent threw." },
  bridge_not_registered: {
    retryable: false,
    remedy: "List LightningSpanProcessor among your provider's spanProcessors.",
  },
  otel_sdk_missing: {
    retryable: false,
    remedy: "npm install @opentelemetry/sdk-trace-base @opentelemetry/context-async-hooks",
  },
  otel_api_duplicate: { retryable: false, remedy: "Deduplicate @opentelemetry/api so that one copy is installed." },
  no_active_rollout: { retryable: false, remedy: "Call this inside an agent, or inside runInRollout()." },
  spans_lost: { retryable: false, remedy: "Raise flushTimeoutMs or the span buffer; see droppedSpans on the attempt." },
  stalled: { retryable: false, remedy: "Start a runner, or raise stallTimeoutMs." },
  invariant: { retryable: false, remedy: "This is a defect of ours or of the store driver: please report it." },
};

/** What a {@link LightningError} is made of. */
export interface LightningErrorOptions {
  readonly code: LightningErrorCode;
  /** Names the offending value and says what to do. */
  readonly message: string;
  readonly cause?: unknown;
  /** JSON-safe scalars that identify what was involved; never payloads or secrets. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

const marker = Symbol.for("agentlightning.error");

/**
 * Base of every error this SDK throws on purpose. Recognise it with {@link LightningError.isInstance}, which also
 * holds across duplicate installs, and decide by {@link LightningError.code}.
 */
export class LightningError extends Error {
  readonly code: LightningErrorCode;
  /** Whether repeating the same call later may succeed. */
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, string | number | boolean>>;

  constructor(options: LightningErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "LightningError";
    this.code = options.code;
    this.retryable = errorCodes[options.code].retryable;
    this.details = options.details ?? {};
    Object.defineProperty(this, marker, { value: true });
  }

  /** True for a LightningError of this or any other copy of the package; with `code`, only for that code. */
  static isInstance(value: unknown, code?: LightningErrorCode): value is LightningError {
    return (
      typeof value === "object" &&
      value !== null &&
      (value as { [marker]?: unknown })[marker] === true &&
      (code === undefined || (value as { code?: unknown }).code === code)
    );
  }

  toJSON(): {
    name: string;
    code: LightningErrorCode;
    message: string;
    details: Readonly<Record<string, string | number | boolean>>;
  } {
    return { name: this.name, code: this.code, message: this.message, details: this.details };
  }
}

/** A value that was refused at the border; nothing was stored. */
export class InvalidInputError extends LightningError {
  constructor(options: Omit<LightningErrorOptions, "code"> & { readonly code?: LightningErrorCode }) {
    super({ ...options, code: options.code ?? "invalid_input" });
    this.name = "InvalidInputError";
  }
}

/** Something that was named does not exist. */
export class NotFoundError extends LightningError {
  constructor(
    options: LightningErrorOptions & {
      readonly code: "rollout_not_found" | "attempt_not_found" | "resources_not_found";
    },
  ) {
    super(options);
    this.name = "NotFoundError";
  }
}

/** A wait that the caller's AbortSignal ended; `cause` is the signal's reason. */
export class AbortedError extends LightningError {
  constructor(options: Omit<LightningErrorOptions, "code">) {
    super({ ...options, code: "aborted" });
    this.name = "AbortedError";
  }
}
