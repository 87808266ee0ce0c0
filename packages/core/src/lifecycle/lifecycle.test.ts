import fc from "fast-check";
import { expect, test } from "vitest";
import { type Attempt, type AttemptStatus, attemptStatuses } from "../attempt.ts";
import { type Rollout, type RolloutStatus, rolloutStatuses } from "../rollout.ts";
import {
  arriveFirstSpan,
  beginAttempt,
  changeAttempt,
  changeRollout,
  claimTransition,
  decideRetry,
  endAttempt,
  expire,
  holding,
  isFinalAttemptStatus,
  isLiveAttemptStatus,
  isQueuedStatus,
  isRevivableByRenewal,
  isTerminalStatus,
  latestAttempt,
  nextDeadlineMs,
  renew,
  renewTransition,
  reviveByRenewal,
  type RolloutRecord,
  spanMovesAttempt,
  spanTransition,
  type TransitionContext,
} from "./index.ts";

const context: TransitionContext = { nowMs: 5_000, queuePosition: (place) => (place === "head" ? -1 : 1) };
const endings = ["failed", "timeout", "unresponsive"] as const;

const attempts = fc
  .array(
    fc.record(
      {
        status: fc.constantFrom(...attemptStatuses),
        startTimeMs: fc.integer({ min: 0, max: 5_000 }),
        leaseExpiresAtMs: fc.integer({ min: 0, max: 9_000 }),
        lastHeartbeatTimeMs: fc.integer({ min: 0, max: 5_000 }),
        workerId: fc.constantFrom("w1", "w2"),
      },
      { requiredKeys: ["status", "startTimeMs"] },
    ),
    { maxLength: 4 },
  )
  .map((list) =>
    list.map(
      (fields, index): Attempt => ({
        rolloutId: "ro",
        attemptId: `at-${index + 1}`,
        sequenceId: index + 1,
        ...fields,
        ...(fields.status === "unresponsive" && fields.leaseExpiresAtMs !== undefined
          ? { endReason: "lease_expired" as const }
          : {}),
      }),
    ),
  );

const records = fc
  .record({
    status: fc.constantFrom(...rolloutStatuses),
    attempts,
    lostAttempts: fc.integer({ min: 0, max: 3 }),
    maxAttempts: fc.integer({ min: 1, max: 4 }),
    maxLostAttempts: fc.integer({ min: 0, max: 3 }),
    retryCondition: fc.subarray([...endings]),
    timeoutMs: fc.option(fc.integer({ min: 0, max: 6_000 }), { nil: undefined }),
    unresponsiveMs: fc.option(fc.integer({ min: 0, max: 6_000 }), { nil: undefined }),
    claimWithinMs: fc.option(fc.integer({ min: 0, max: 6_000 }), { nil: undefined }),
  })
  .map((fields): RolloutRecord => {
    const { status, lostAttempts, maxAttempts, maxLostAttempts, retryCondition, timeoutMs, unresponsiveMs } = fields;
    const { claimWithinMs } = fields;
    const queuedTimeMs = isQueuedStatus(status) ? 3_000 : undefined;
    const rollout: Rollout = {
      rolloutId: "ro",
      input: null,
      startTimeMs: 0,
      status,
      config: {
        maxAttempts,
        maxLostAttempts,
        retryCondition,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(unresponsiveMs === undefined ? {} : { unresponsiveMs }),
        ...(claimWithinMs === undefined ? {} : { claimWithinMs }),
      },
      metadata: {},
      lostAttempts,
      ...(isTerminalStatus(status) ? { endTimeMs: 4_000 } : {}),
    };
    const deadlineMs = nextDeadlineMs(rollout, fields.attempts.at(-1), queuedTimeMs);
    return {
      rollout,
      attempts: fields.attempts,
      revision: 7,
      spanCounter: 3,
      ...(isQueuedStatus(status) ? { queuePosition: 0.5, queuedTimeMs: 3_000 } : {}),
      ...(deadlineMs === undefined ? {} : { nextDeadlineMs: deadlineMs }),
    };
  });
const attempted = records.filter((record) => record.attempts.length > 0);

function last(record: RolloutRecord): Attempt {
  const attempt = latestAttempt(record);
  if (attempt === undefined) throw new Error("no attempt");
  return attempt;
}

/** What must hold of every record that a rule made. */
function checkDerived(next: RolloutRecord): void {
  expect(next.queuePosition !== undefined).toBe(isQueuedStatus(next.rollout.status));
  expect(next.queuedTimeMs !== undefined).toBe(isQueuedStatus(next.rollout.status));
  expect(next.rollout.endTimeMs !== undefined).toBe(isTerminalStatus(next.rollout.status));
  expect(next.nextDeadlineMs).toBe(nextDeadlineMs(next.rollout, latestAttempt(next), next.queuedTimeMs));
  expect(next.spanCounter).toBe(3);
}

test("a new attempt prepares the rollout from any status, takes it out of the queue and clears its end", () => {
  fc.assert(
    fc.property(records, (record) => {
      const { record: next } = beginAttempt(record, { attemptId: "new" }, context);
      checkDerived(next);
      expect([next.rollout.status, last(next).sequenceId, last(next).status]).toEqual([
        "preparing",
        record.attempts.length + 1,
        "preparing",
      ]);
    }),
  );
});

test("only the latest attempt moves its rollout, and never one that is terminal", () => {
  fc.assert(
    fc.property(attempted, fc.nat(), fc.constantFrom(...endings, "succeeded" as const), (record, pick, status) => {
      const attempt = record.attempts[pick % record.attempts.length] ?? last(record);
      const { record: next } = endAttempt(record, attempt, { status }, context);
      checkDerived(next);
      const moves = attempt === last(record) && !isTerminalStatus(record.rollout.status);
      if (!moves) expect(next.rollout).toEqual(record.rollout);
      else if (status === "succeeded") expect(next.rollout.status).toBe("succeeded");
      else {
        const { config, lostAttempts } = record.rollout;
        const isRetried =
          config.retryCondition.includes(status) && attempt.sequenceId - lostAttempts < config.maxAttempts;
        expect(next.rollout.status).toBe(isRetried ? "requeuing" : "failed");
      }
    }),
  );
});

test.each([
  ["lease_expired", "tail"],
  ["released", "head"],
  ["undelivered", "head"],
] as const)(
  "an attempt lost to infrastructure (%s) costs no attempt and goes to the %s until too many were lost",
  (reason, place) => {
    fc.assert(
      fc.property(attempted, (record) => {
        const { lostAttempts, config } = record.rollout;
        const isSpent = lostAttempts + 1 > config.maxLostAttempts;
        expect(decideRetry(record.rollout, last(record), "unresponsive", reason)).toEqual(
          isSpent
            ? { next: "fail", lostAttempts: lostAttempts + 1 }
            : { next: "requeue", place, lostAttempts: lostAttempts + 1 },
        );
      }),
    );
  },
);

test("an attempt expires strictly after its bound, timeout before the others, and only while it is live", () => {
  fc.assert(
    fc.property(attempted, fc.integer({ min: 0, max: 12_000 }), (record, nowMs) => {
      fc.pre(!isQueuedStatus(record.rollout.status));
      const transition = expire(record, { ...context, nowMs });
      const { rollout } = record;
      const attempt = last(record);
      const { timeoutMs = Infinity, unresponsiveMs = Infinity } = rollout.config;
      const isWatched =
        (rollout.status === "preparing" || rollout.status === "running") && isLiveAttemptStatus(attempt.status);
      const heardMs = attempt.lastHeartbeatTimeMs ?? attempt.startTimeMs;
      const isTimeout = nowMs - attempt.startTimeMs > timeoutMs;
      const isLost = nowMs > (attempt.leaseExpiresAtMs ?? Infinity);
      const isSilent = nowMs - heardMs > unresponsiveMs;
      const expected =
        !isWatched || !(isTimeout || isLost || isSilent) ? undefined : isTimeout ? "timeout" : "unresponsive";
      expect(transition && last(transition.record).status).toBe(expected);
      if (transition !== undefined) checkDerived(transition.record);
    }),
  );
});

test("a span sets running what prepares, revives what was silent without a lease, and nothing else", () => {
  fc.assert(
    fc.property(attempted, fc.nat(), (record, pick) => {
      const attempt = record.attempts[pick % record.attempts.length] ?? last(record);
      const { status } = attempt;
      const revives = status === "unresponsive" && attempt.leaseExpiresAtMs === undefined;
      if (revives) expect(spanMovesAttempt({ ...attempt, endReason: "released" })).toBe(false);
      expect(spanMovesAttempt(attempt)).toBe(status === "preparing" || revives);
      if (!spanMovesAttempt(attempt)) return;
      const next = arriveFirstSpan(record, attempt, context);
      checkDerived(next);
      const before = record.rollout.status;
      const moves = attempt === last(record) && (before === "preparing" || (before === "requeuing" && revives));
      expect(next.rollout.status).toBe(moves ? "running" : before);
    }),
  );
});

test("terminal gives way only to a reopen; a cancel ends the live attempt", () => {
  fc.assert(
    fc.property(records, fc.constantFrom(...rolloutStatuses), (record, status) => {
      const { record: next, workers } = changeRollout(record, { status }, context);
      checkDerived(next);
      const allowed = !isTerminalStatus(record.rollout.status) || isQueuedStatus(status);
      expect(next.rollout.status).toBe(allowed ? status : record.rollout.status);
      const before = latestAttempt(record);
      if (status !== "cancelled" || !allowed || before === undefined || !isLiveAttemptStatus(before.status)) {
        expect(next.attempts).toEqual(record.attempts);
      } else {
        expect(last(next)).toMatchObject({ status: "failed", endReason: "cancelled", endTimeMs: 5_000 });
        expect(workers).toEqual(
          before.workerId === undefined
            ? []
            : [{ kind: "idle", workerId: before.workerId, attemptId: before.attemptId }],
        );
      }
    }),
  );
});

test("a status for an attempt that ended for good changes nothing; metadata never touches a status", () => {
  fc.assert(
    fc.property(attempted, fc.constantFrom(...attemptStatuses, undefined), (record, status) => {
      const attempt = last(record);
      const { record: next } = changeAttempt(record, attempt, { status, metadata: { a: 1 } }, context);
      checkDerived(next);
      expect(last(next).metadata).toEqual({ a: 1 });
      if (status === undefined || isFinalAttemptStatus(attempt.status)) {
        expect([next.rollout.status, last(next).status]).toEqual([record.rollout.status, attempt.status]);
      } else expect(last(next).status).toBe(status);
    }),
  );
});

const workerKinds: readonly (readonly [AttemptStatus, string])[] = [
  ["succeeded", "idle"],
  ["failed", "idle"],
  ["timeout", "unknown"],
  ["unresponsive", "unknown"],
  ["running", "busy"],
  ["preparing", "busy"],
];

test.each(workerKinds)("a worker whose attempt is set %s becomes %s", (status, kind) => {
  const fresh: RolloutRecord = {
    rollout: {
      rolloutId: "ro",
      input: null,
      startTimeMs: 0,
      status: "queuing" satisfies RolloutStatus,
      config: { maxAttempts: 1, maxLostAttempts: 3, retryCondition: [] },
      metadata: {},
      lostAttempts: 0,
    },
    attempts: [],
    revision: 0,
    spanCounter: 0,
  };
  const { record } = beginAttempt(fresh, { attemptId: "at-1", workerId: "w" }, context);
  const { workers } = changeAttempt(record, last(record), { status }, context);
  expect(workers.map((effect) => [effect.kind, effect.workerId, effect.attemptId])).toEqual([[kind, "w", "at-1"]]);
});

test("a renewal moves no revision, and its deadline is that of the latest attempt, whichever was stamped", () => {
  fc.assert(
    fc.property(attempted, fc.nat(), (record, pick) => {
      const attempt = record.attempts[pick % record.attempts.length] ?? last(record);
      const next = renew(record, attempt, 1_000, 5_000);
      expect([next.revision, next.rollout]).toEqual([record.revision, record.rollout]);
      expect(next.nextDeadlineMs).toBe(nextDeadlineMs(next.rollout, latestAttempt(next), next.queuedTimeMs));
    }),
  );
});

test("a wait in the queue ends after claimWithinMs, counted from when it was queued last", () => {
  fc.assert(
    fc.property(
      records.filter(({ rollout }) => isQueuedStatus(rollout.status)),
      (record) => {
        const { claimWithinMs } = record.rollout.config;
        const next = expire(record, context)?.record;
        if (claimWithinMs === undefined || 3_000 + claimWithinMs >= 5_000) {
          expect(next).toBeUndefined();
          return;
        }
        expect(next?.rollout).toMatchObject({ status: "failed", endReason: "unclaimed", endTimeMs: 5_000 });
        expect(next?.attempts).toEqual(record.attempts);
        if (next === undefined) return;
        checkDerived(next);
        const reopened = changeRollout(next, { status: "queuing" }, { ...context, nowMs: 6_000 }).record;
        expect([reopened.rollout.endReason, reopened.queuedTimeMs]).toEqual([undefined, 6_000]);
      },
    ),
  );
});

test("a revival takes one loss back, and only an expired lease that nobody took over is revived", () => {
  fc.assert(
    fc.property(attempted, (record) => {
      const attempt = last(record);
      const expected =
        attempt.status === "unresponsive" &&
        attempt.endReason === "lease_expired" &&
        record.rollout.status === "requeuing";
      expect(isRevivableByRenewal(record, attempt)).toBe(expected);
      if (!expected) return;
      const { record: next } = reviveByRenewal(record, attempt, 1_000, context);
      checkDerived(next);
      expect(next.rollout).toMatchObject({
        status: "running",
        lostAttempts: Math.max(0, record.rollout.lostAttempts - 1),
      });
      expect(holding(next, attempt.attemptId).lost).toBeUndefined();
    }),
  );
});

test("the rules as data do what the functions do", () => {
  fc.assert(
    fc.property(attempted, (record) => {
      const isWaiting = claimTransition.guard.rolloutStatusIn?.includes(record.rollout.status);
      expect(isWaiting).toBe(record.queuePosition !== undefined);
      const claimed = beginAttempt(record, { attemptId: "new" }, context).record;
      expect(claimed.rollout.status).toBe(claimTransition.set.status);
      expect(claimed.attempts.length - record.attempts.length).toBe(Number(claimTransition.pushesAttempt));
      expect(claimed.revision - record.revision).toBe(claimTransition.increment.revision);
      expect([claimed.rollout.endTimeMs, claimed.queuePosition]).toEqual([undefined, undefined]);
      const attempt = last(record);
      for (const [rule, leaseMs] of [
        [renewTransition, 1_000],
        [spanTransition, undefined],
      ] as const) {
        expect(rule.guard.latestAttemptStatusIn?.includes(attempt.status)).toBe(isLiveAttemptStatus(attempt.status));
        const before: Record<string, unknown> = { ...attempt };
        const after: Record<string, unknown> = { ...last(renew(record, attempt, leaseMs, 6_500)) };
        const changed = Object.keys(after).filter((key) => after[key] !== before[key]);
        expect(rule.setLatestAttempt).toEqual(expect.arrayContaining(changed));
      }
    }),
  );
});
