import { z } from "zod";
import { type NamedResources, promptTemplateEngines, type Resource } from "../resources.ts";
import { jsonObjectSchema, recordSchema } from "./json.ts";

const model = {
  endpoint: z.string(),
  model: z.string(),
  apiKey: z.string().exactOptional(),
  samplingParameters: jsonObjectSchema,
};

/** One resource, told apart by `resourceType`. */
export const resourceSchema: z.ZodType<Resource> = z.discriminatedUnion("resourceType", [
  z.object({ resourceType: z.literal("llm"), ...model }),
  z.object({ resourceType: z.literal("proxy_llm"), ...model }),
  z.object({
    resourceType: z.literal("prompt_template"),
    template: z.string(),
    engine: z.enum(promptTemplateEngines),
  }),
]);

/** Resources by name. */
export const namedResourcesSchema: z.ZodType<NamedResources> = recordSchema(resourceSchema);
