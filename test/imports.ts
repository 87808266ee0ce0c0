import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export interface SourceFile {
  readonly file: string;
  readonly isTest: boolean;
  readonly imports: readonly string[];
}

/** The TypeScript files below a folder with the specifiers that each imports, dynamically or not. */
export function sourceFiles(folder: string): readonly SourceFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => {
      const file = join(folder, name);
      const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"), true, true);
      return {
        file,
        isTest: /\.test(-d)?\.ts$/.test(name) || /(^|[\\/])(testing-support|fixtures)[\\/]/.test(name),
        imports: importedFiles.map(({ fileName }) => fileName),
      };
    });
}
