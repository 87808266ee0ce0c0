import { casesOf } from "../case.ts";

export const resourcesCases = casesOf("resources", []);
