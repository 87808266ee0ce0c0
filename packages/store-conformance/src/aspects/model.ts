import { casesOf } from "../case.ts";

export const modelCases = casesOf("model", []);
