import { casesOf } from "../case.ts";

export const limitsCases = casesOf("limits", []);
