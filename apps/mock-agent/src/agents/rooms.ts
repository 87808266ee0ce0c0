import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { defineAgent } from "@agentlightning/runner";
import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";
import { lastOf, type ReplyRule, textOf } from "../model-server/reply.ts";
import { chooseRoom } from "../rooms/choose-room.ts";
import { generateRoomTasks, type RoomTask } from "../rooms/generate.ts";
import { lookUpRooms, type RoomRequest, type RoomStatus } from "../rooms/room.ts";
import type { HarnessAgent } from "./harness-agent.ts";
import { registerAiTelemetry } from "./telemetry.ts";

const when = { date: z.string(), time: z.string(), duration_min: z.number() };

const schema: z.ZodType<RoomTask, RoomTask> = z.object({
  id: z.string(),
  task_input: z.object({
    ...when,
    attendees: z.number(),
    needs: z.array(z.string()),
    accessible_required: z.boolean(),
  }),
  expected_choice: z.string(),
});

const instructions =
  "You book meeting rooms. Look the rooms up with the tool, then answer with the id of the best room alone, or with: No Room.";
const requestMark = "Request: ";

/** The mock model: calls the tool first, then decides by what the tool returned and what was asked for. */
const bookRoom: ReplyRule = (request) => {
  const asked = textOf(lastOf(request, "user"));
  if (!asked.startsWith(requestMark)) return undefined;
  const roomRequest = JSON.parse(asked.slice(requestMark.length)) as RoomRequest;
  const looked = request.messages.findLast((message) => message.role === "tool");
  if (looked === undefined) {
    const { date, time, duration_min } = roomRequest;
    return { toolCalls: [{ name: "look_up_rooms", arguments: { date, time, duration_min } }] };
  }
  return { content: chooseRoom(JSON.parse(textOf(looked)) as readonly RoomStatus[], roomRequest) };
};

/** Room booking with the AI SDK: a tool call, then the answer. */
export const roomsAgent: HarnessAgent<RoomTask> = {
  name: "rooms",
  about: "books meeting rooms: AI SDK generateText with a tool",
  schema,
  modelSpan: (name) => name.startsWith("chat "),
  create: ({ rooms }) => {
    registerAiTelemetry();
    return defineAgent<RoomTask>(
      async (task, { llm, signal }) => {
        const provider = createOpenAICompatible({ name: "mock", baseURL: llm.baseUrl, apiKey: llm.apiKey ?? "none" });
        const { text } = await generateText({
          model: provider(llm.model),
          instructions,
          prompt: `${requestMark}${JSON.stringify(task.task_input)}`,
          tools: {
            look_up_rooms: tool({
              description: "All rooms, with whether they are free at that time.",
              inputSchema: z.object(when),
              execute: (time) => [...lookUpRooms(rooms, time)],
            }),
          },
          stopWhen: isStepCount(4),
          maxRetries: 0,
          abortSignal: signal,
        });
        return text.trim() === task.expected_choice ? 1 : 0;
      },
      { name: "rooms", schema },
    );
  },
  generateTasks: (count, random, { rooms }) => generateRoomTasks(rooms, count, random),
  modelRules: () => [bookRoom],
  expectedReward: () => 1,
};
