import { casesOf } from "../case.ts";

export const spansCases = casesOf("spans", []);
