import { readFileSync } from "node:fs";
import ts from "typescript";

const printer = ts.createPrinter({ removeComments: true });

const isHidden = (member: ts.ClassElement): boolean =>
  (member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
  (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0;

/** A declaration as callers see it: without comments and without private members. */
function print(declaration: ts.Declaration): string {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const shown = ts.isClassDeclaration(statement)
    ? ts.factory.updateClassDeclaration(
        statement,
        statement.modifiers,
        statement.name,
        statement.typeParameters,
        statement.heritageClauses,
        statement.members.filter((member) => !isHidden(member)),
      )
    : statement;
  const text = printer.printNode(ts.EmitHint.Unspecified, shown, declaration.getSourceFile());
  return text.replace(/^export (?:declare )?/, "").replace(/^declare /, "");
}

/** What the declaration file of an entry exports: every name with its whole declaration, in the order of the names. */
export function reportEntry(declarationFile: string): string {
  const program = ts.createProgram([declarationFile], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    skipLibCheck: true,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(declarationFile);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined)
    throw new Error(`${declarationFile} is no module:\n${readFileSync(declarationFile, "utf8")}`);
  return checker
    .getExportsOfModule(module)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((symbol) => {
      const target = (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
      const declarations = target.declarations ?? [];
      if (declarations.length === 0) throw new Error(`${declarationFile}: ${symbol.name} can't be resolved`);
      const renamed = target.name === symbol.name ? "" : `// exported as ${symbol.name}\n`;
      return renamed + declarations.map((declaration) => print(declaration)).join("\n");
    })
    .join("\n\n");
}
