import { casesOf } from "../case.ts";

export const queriesCases = casesOf("queries", []);
