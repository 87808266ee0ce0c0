/** Names of the spans that emitters write; the reference's. */
export const spanNames: Readonly<
  Record<"annotation" | "message" | "object" | "exception" | "operation" | "reward" | "virtual", string>
> = {
  annotation: "agentlightning.annotation",
  message: "agentlightning.message",
  object: "agentlightning.object",
  exception: "agentlightning.exception",
  operation: "agentlightning.operation",
  reward: "agentlightning.reward",
  virtual: "agentlightning.virtual",
};

/** Names of attributes; the reference's. Rewards, tags and links are numbered: `<prefix>.0.<field>`. */
export const attributeNames: Readonly<
  Record<
    | "rolloutId"
    | "attemptId"
    | "spanSequenceId"
    | "rewardPrefix"
    | "tagPrefix"
    | "linkPrefix"
    | "messageBody"
    | "objectType"
    | "objectLiteral"
    | "objectJson"
    | "operationName"
    | "operationInput"
    | "operationOutput"
    | "tracerName"
    | "exceptionType"
    | "exceptionMessage"
    | "exceptionStacktrace"
    | "exceptionEscaped",
    string
  >
> = {
  rolloutId: "agentlightning.rollout_id",
  attemptId: "agentlightning.attempt_id",
  spanSequenceId: "agentlightning.span_sequence_id",
  rewardPrefix: "agentlightning.reward",
  tagPrefix: "agentlightning.tag",
  linkPrefix: "agentlightning.link",
  messageBody: "agentlightning.message.body",
  objectType: "agentlightning.object.type",
  objectLiteral: "agentlightning.object.literal",
  objectJson: "agentlightning.object.json",
  operationName: "agentlightning.operation.name",
  operationInput: "agentlightning.operation.input",
  operationOutput: "agentlightning.operation.output",
  tracerName: "agentlightning.tracer.name",
  exceptionType: "exception.type",
  exceptionMessage: "exception.message",
  exceptionStacktrace: "exception.stacktrace",
  exceptionEscaped: "exception.escaped",
};
