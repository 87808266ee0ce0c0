import type { SQLOutputValue } from "node:sqlite";
import { LightningError } from "@agentlightning/core";

/** A row as `node:sqlite` gives it. */
export type Row = Record<string, SQLOutputValue>;

function unexpected(column: string): LightningError {
  return new LightningError({ code: "invariant", message: `the database has no usable ${column} in a row` });
}

/** A column of text. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw unexpected(column);
  return value;
}

/** A column of numbers. */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw unexpected(column);
  return value;
}
