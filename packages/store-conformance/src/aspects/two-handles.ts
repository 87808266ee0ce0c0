import { casesOf } from "../case.ts";

export const twoHandlesCases = casesOf("two handles", []);
