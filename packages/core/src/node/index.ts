export { jsonlFile } from "./jsonl-file.ts";
