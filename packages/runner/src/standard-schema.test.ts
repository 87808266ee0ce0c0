import { expect, test } from "vitest";
import { z } from "zod";
import { validateTask } from "./standard-schema.ts";

const schema = z.object({ question: z.string(), count: z.coerce.number() });

test("the task is what the schema makes of the input", async () => {
  expect(await validateTask(schema, { question: "?", count: "3", more: true })).toEqual({ question: "?", count: 3 });
});

test("a refused task names each field", async () => {
  await expect(validateTask(schema, { count: "many" })).rejects.toMatchObject({
    code: "task_invalid",
    message: expect.stringMatching(/question: .*; count: /),
    details: { issues: 2 },
  });
});

test("a schema that checks asynchronously is waited for", async () => {
  const slow = z.string().refine(async (text) => text === "yes");
  expect(await validateTask(slow, "yes")).toBe("yes");
  await expect(validateTask(slow, "no")).rejects.toMatchObject({ code: "task_invalid" });
});

test("a schema that throws refuses the task, with what it threw as the cause", async () => {
  const broken = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: () => {
        throw new RangeError("broken");
      },
    },
  };
  await expect(validateTask(broken, 1)).rejects.toMatchObject({
    code: "task_invalid",
    cause: new RangeError("broken"),
  });
});

test("of many complaints the first five are told, and how many more there are", async () => {
  const row = z.array(z.number());
  await expect(validateTask(row, ["a", "b", "c", "d", "e", "f", "g"])).rejects.toThrow(/4: [^;]*; and 2 more/);
});
