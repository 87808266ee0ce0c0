import { casesOf } from "../case.ts";

export const attemptsCases = casesOf("attempts", []);
