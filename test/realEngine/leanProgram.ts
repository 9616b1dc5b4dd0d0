import ts from "typescript";

/** A program of an example or a template as JavaScript, which needs no compiler in each command. `npm run check` checks its types. */
export function withoutTypes(program: string): string {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(program, { compilerOptions }).outputText;
}

/** The program or manifest of a template after the edit step of its README: with a second shelf in its list. */
export function withSecondShelf(program: string): string {
  const changed = program
    .replace(/([[{])"novels"(?=[\]}])/, '$1"novels", "nature"')
    .replace(/^( *- .*)novels(.*)$/m, "$&\n$1nature$2");
  if (changed === program) {
    throw new Error("the program has no list of shelves");
  }
  return changed;
}

/**
 * The same program or manifest with short pauses between the looks at a run, as users wait 10 seconds between them.
 * `pollSeconds` is an option: in a preview it shows only where a run is created.
 */
export function withShortPauses(program: string): string {
  const changed = program
    .replaceAll('waitFor: "finished"', 'waitFor: "finished", pollSeconds: 0.1')
    .replaceAll('wait_for="finished"', 'wait_for="finished", poll_seconds=0.1')
    .replaceAll('WaitFor: pulumi.String("finished")', "$&, PollSeconds: pulumi.Float64(0.1)")
    .replace(/^( *)waitFor: finished$/gm, "$&\n$1pollSeconds: 0.1")
    .replace(/waitFor: finished\b(?!$)/gm, "$&, pollSeconds: 0.1");
  if (changed === program) {
    throw new Error("the program does not wait for a run");
  }
  return changed;
}
