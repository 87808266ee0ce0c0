import { findFinalReward, LightningError, rewardsFromSpan } from "@agentlightning/core";
import { openMemoryStore } from "@agentlightning/store-memory";
import { expect, test } from "vitest";
import {
  AttemptTrace,
  currentRollout,
  emitException,
  emitMessage,
  emitObject,
  emitReward,
  LightningSpanProcessor,
  operation,
  runInRollout,
} from "./index.ts";

// No provider is registered and no context manager: what an application without any SDK has.
async function openAttempt() {
  const store = openMemoryStore();
  const { rolloutId, attempt } = await store.startRollout({ input: 1 });
  const identity = { rolloutId, attemptId: attempt.attemptId };
  const spans = async () => (await store.querySpans(rolloutId)).items;
  return { store, identity, spans, trace: new AttemptTrace({ store, identity }) };
}

test("without any SDK a reward in runInRollout reaches the store of the processor that was made", async () => {
  const { store, identity, spans } = await openAttempt();
  const processor = new LightningSpanProcessor({ store });
  runInRollout(identity, () => emitReward(0.7));
  await processor.forceFlush();
  expect(findFinalReward(await spans())).toBe(0.7);
  await processor.shutdown();
  expect(() => runInRollout(identity, () => emitReward(1))).toThrow(
    expect.objectContaining({ code: "no_active_rollout" }),
  );
});

test("an emitter outside any rollout says so with a code", () => {
  expect(() => emitMessage("hello")).toThrow(expect.objectContaining({ code: "no_active_rollout" }));
});

test("runInRollout inside a runner's attempt of the same identity goes on delivering there", async () => {
  const { identity, spans, trace } = await openAttempt();
  trace.run(() => runInRollout(identity, () => emitReward(1)));
  await trace.flush();
  expect(findFinalReward(await spans())).toBe(1);
});

test("a reward of zero is a reward, and a boolean counts as one or zero", async () => {
  const { spans, trace } = await openAttempt();
  trace.run(() => emitReward(true));
  trace.run(() => emitReward(0));
  await trace.flush();
  expect((await spans()).map((span) => rewardsFromSpan(span))).toEqual([
    [{ name: "primary", value: 1 }],
    [{ name: "primary", value: 0 }],
  ]);
  expect(findFinalReward(await spans())).toBe(0);
});

test("a reward map records its primary dimension first, and is refused without one", async () => {
  const { spans, trace } = await openAttempt();
  trace.run(() => emitReward({ style: 0.2, correct: 1 }, { primaryKey: "correct" }));
  expect(() => trace.run(() => emitReward({ style: 0.2 }))).toThrow(expect.objectContaining({ code: "invalid_input" }));
  await trace.flush();
  expect((await spans()).map((span) => rewardsFromSpan(span))).toEqual([
    [
      { name: "correct", value: 1 },
      { name: "style", value: 0.2 },
    ],
  ]);
});

test("what is emitted inside an operation stands under it, without any SDK too, and is numbered after it", async () => {
  const { spans, trace } = await openAttempt();
  const rooms = await trace.run(() =>
    operation(
      "outer",
      () =>
        operation("inner", async () => {
          await Promise.resolve();
          emitMessage("looking");
          return ["A1"];
        }),
      { input: { floor: 1n } },
    ),
  );
  emitAfter(trace);
  await trace.flush();
  const [outer, inner, message, after] = await spans();
  expect(rooms).toEqual(["A1"]);
  expect([outer?.name, outer?.parentId, after?.parentId]).toEqual(["agentlightning.operation", undefined, undefined]);
  expect([inner?.parentId, message?.parentId]).toEqual([outer?.spanId, inner?.spanId]);
  expect(new Set([outer?.traceId, inner?.traceId, message?.traceId]).size).toBe(1);
});

function emitAfter(trace: AttemptTrace): void {
  trace.run(() => emitMessage("after"));
}

test("an operation that fails records its error and throws the very same", async () => {
  const { spans, trace } = await openAttempt();
  const error = new TypeError("no rooms");
  await expect(trace.run(() => operation("find", () => Promise.reject(error)))).rejects.toBe(error);
  await trace.flush();
  const [span] = await spans();
  expect(span?.status).toEqual({ statusCode: "ERROR", description: "no rooms" });
  expect(span?.attributes).toMatchObject({ "exception.type": "TypeError", "exception.message": "no rooms" });
});

test("an operation that is still running when its attempt ends is kept as incomplete, once", async () => {
  const { spans, trace } = await openAttempt();
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = trace.run(() => operation("stuck", () => promise));
  await trace.flush();
  resolve();
  await running;
  await trace.flush();
  expect((await spans()).map(({ status }) => status.statusCode)).toEqual(["ERROR"]);
});

test("whatever was thrown can be recorded, and an object that JSON cannot hold is refused with a code", async () => {
  const { spans, trace } = await openAttempt();
  const hostile = Object.defineProperty({}, "message", {
    get: () => {
      throw new Error("from a getter");
    },
  });
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  trace.run(() => {
    for (const thrown of [hostile, undefined, "text"]) emitException(thrown);
    emitObject({ at: new Date(0), big: 1n });
  });
  let refused: unknown;
  try {
    trace.run(() => emitObject(cyclic));
  } catch (error) {
    refused = error;
  }
  await trace.flush();
  expect(LightningError.isInstance(refused, "invalid_input")).toBe(true);
  expect((await spans()).map(({ status }) => status.description)).toEqual([
    "[object Object]",
    "undefined",
    "text",
    undefined,
  ]);
});

test("the rollout of running code is known, and is the inner one where two are nested", () => {
  const outer = { rolloutId: "ro-1", attemptId: "at-1" };
  const inner = { rolloutId: "ro-2", attemptId: "at-2" };
  expect(runInRollout(outer, () => [currentRollout(), runInRollout(inner, currentRollout)])).toEqual([outer, inner]);
  expect(currentRollout()).toBeUndefined();
});
