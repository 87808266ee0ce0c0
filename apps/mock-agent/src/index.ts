export type { Expectation, Scenario, ScenarioPlan, ScenarioSetting } from "./scenarios/scenario.ts";
export { harnessAgents } from "./agents/index.ts";
export type { AgentSetting, HarnessAgent, ModelKnowledge } from "./agents/harness-agent.ts";
export { recordedReplies } from "./model-server/recorded.ts";
export type { ChatMessage, ChatRequest, Reply, ReplyRule, ToolCallReply } from "./model-server/reply.ts";
export { repliesByText, scriptedReplies } from "./model-server/scripted.ts";
export {
  type ModelServer,
  type ModelServerOptions,
  type RecordedCall,
  startModelServer,
} from "./model-server/server.ts";
export type { Booking, Room, RoomRequest, RoomStatus } from "./rooms/room.ts";
export type { RolloutEvidence } from "./run/evidence.ts";
export { runScenario, type RunScenarioOptions, type ScenarioRun } from "./run/run-scenario.ts";
export { scenarios } from "./scenarios/index.ts";
