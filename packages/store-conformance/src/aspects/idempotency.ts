import { casesOf } from "../case.ts";

export const idempotencyCases = casesOf("idempotency", []);
