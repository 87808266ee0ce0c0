import { casesOf } from "../case.ts";

export const isolationCases = casesOf("isolation", []);
