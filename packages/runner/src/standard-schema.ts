import { LightningError } from "@agentlightning/core";

/** One complaint of a schema. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** What a schema says about a value. */
export type SchemaResult<TOutput> =
  | { readonly value: TOutput; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** The part of the Standard Schema interface (version 1) that is used here: Zod, Valibot, ArkType and others have it. */
export interface StandardSchema<TInput = unknown, TOutput = TInput> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<TOutput> | Promise<SchemaResult<TOutput>>;
    readonly types?: { readonly input: TInput; readonly output: TOutput } | undefined;
  };
}

function describeIssue({ message, path }: SchemaIssue): string {
  if (path === undefined || path.length === 0) return message;
  const where = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return `${where}: ${message}`;
}

/**
 * Gives the task as the schema returns it.
 *
 * @throws task_invalid naming the fields that the schema refuses, or what the schema itself threw
 */
export async function validateTask<TTask>(schema: StandardSchema<unknown, TTask>, input: unknown): Promise<TTask> {
  let result: SchemaResult<TTask>;
  try {
    result = await schema["~standard"].validate(input);
  } catch (cause) {
    throw new LightningError({ code: "task_invalid", message: "The task's schema threw while it checked it.", cause });
  }
  if (result.issues === undefined) return result.value;
  const shown = result.issues.slice(0, 5).map(describeIssue);
  const more = result.issues.length > shown.length ? `; and ${result.issues.length - shown.length} more` : "";
  throw new LightningError({
    code: "task_invalid",
    message: `The task does not match the agent's schema: ${shown.join("; ")}${more}.`,
    details: { issues: result.issues.length },
  });
}
