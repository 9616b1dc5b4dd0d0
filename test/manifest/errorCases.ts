// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables

/** Manifests with mistakes, and what is said about them. The file is `novels.yaml`, the variables are those of errors.test.ts. */
export interface ErrorCase {
  name: string;
  text: string;
  /** The message in lines, without what {@link shownOf} adds. */
  says: readonly string[];
  /** Whether the JSON Schema refuses it too. It sees one document at a time, without variables, after an editor's parser. Default: refuses. */
  schema?: "accepts" | "is not asked";
}

/** The whole message, in lines: each place is followed by its line and a mark, which are in `says` only if the line is shortened. */
export function shownOf({ text, says }: ErrorCase): string[] {
  const lines = text.split("\n");
  return says.flatMap((said, index) => {
    const [, line, column] = /^novels\.yaml:(\d+):(\d+)/.exec(said) ?? [];
    if (line === undefined || says[index + 1]?.startsWith("  ")) return [said];
    const begin = `  ${line} | `;
    const mark = `${"| ".padStart(begin.length)}${"^".padStart(Number(column))}`;
    return [said, begin + lines[Number(line) - 1], mark];
  });
}

export const errorCases: readonly ErrorCase[] = [
  {
    name: "an empty file",
    text: "",
    says: ["novels.yaml: is empty: declare one task (from: …) or several (tasks: …)"],
    schema: "is not asked",
  },
  {
    name: "a file with comments only",
    text: "# nothing\n",
    says: ["novels.yaml: is empty: declare one task (from: …) or several (tasks: …)"],
    schema: "is not asked",
  },
  {
    name: "a list",
    text: "- from: {}\n",
    says: ["novels.yaml:1:1: must be a map: one task (from: …) or several (tasks: …); got a list"],
  },
  {
    name: "a single value",
    text: "hello\n",
    says: ["novels.yaml:1:1: must be a map: one task (from: …) or several (tasks: …); got a string"],
  },
  {
    name: "neither a task nor a collection",
    text: "run: {}\n",
    says: ["novels.yaml:1:1: must have from (for one task) or tasks (for several)"],
  },
  {
    name: "a merge key and a list of them whose anchors are missing",
    text: "from: { adoptTaskId: t }\nrun:\n  <<: *all\nstartUrls:\n  <<: [*some]\n  urls: [https://u.test]\n",
    says: [
      "novels.yaml:3:3 run.<<: has the alias *all, but no anchor of this name stands before it",
      "novels.yaml:5:3 startUrls.<<: has the alias *some, but no anchor of this name stands before it",
    ],
    schema: "is not asked",
  },
  {
    name: "a key with characters that cannot be seen",
    text: 'from: { adoptTaskId: t }\n"ru\\u0007n\\n": {}\n',
    says: [
      "novels.yaml:2:1 ru\\u0007n\\u000a: is not a valid name; valid names: name, from, actions, startUrls, onDelete, forceDestroy, retry, profile, was, opts, run, exports",
    ],
  },
  {
    name: "a tab",
    text: "from:\n\tsourceTaskId: s\n",
    says: [
      "novels.yaml:2:1: is not valid YAML: tabs are not allowed as indentation: write spaces",
      "  2 |  sourceTaskId: s",
      "    | ^",
    ],
    schema: "is not asked",
  },
  {
    name: "a list without its end",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nexports: [\n",
    says: ["novels.yaml:2:10: is not valid YAML: the [ that begins here has no end"],
    schema: "is not asked",
  },
  {
    name: "a map without its end",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun: {\n",
    says: ["novels.yaml:2:6: is not valid YAML: the { that begins here has no end"],
    schema: "is not asked",
  },
  {
    name: "a string without its end",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nname: "novels\n',
    says: ['novels.yaml:2:7: is not valid YAML: the " that begins here has no end'],
    schema: "is not asked",
  },
  {
    name: "a value that looks like a map",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nname: novels: all\n",
    says: [
      "novels.yaml:2:7: is not valid YAML: a map cannot begin inside a value; quote the value, or begin the map on a new line",
    ],
    schema: "is not asked",
  },
  {
    name: "lines that do not align",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun:\n  waitFor: finished\n timeoutSeconds: 3\n",
    says: ["novels.yaml:4:1: is not valid YAML: the line begins at another column than the lines above it"],
    schema: "is not asked",
  },
  {
    name: "a key that is given twice",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun: {}\nrun: {}\n",
    says: ["novels.yaml:3:1 run: is given twice; line 2 has it already"],
    schema: "is not asked",
  },
  {
    name: "a key that is a list",
    text: "from: { sourceTaskId: s, taskGroupId: g }\n[a]: b\n",
    says: ["novels.yaml:2:1: must have non-empty strings other than __proto__ as keys"],
  },
  {
    name: "an empty key",
    text: "from: { sourceTaskId: s, taskGroupId: g }\n? \n: b\n",
    says: ["novels.yaml:2:3: must have non-empty strings other than __proto__ as keys", "  2 | ?", "    |   ^"],
  },
  {
    name: "an alias without an anchor",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nactions: *shared\n",
    says: ["novels.yaml:2:10 actions: has the alias *shared, but no anchor of this name stands before it"],
    schema: "is not asked",
  },
  {
    name: "an alias within its own anchor",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun: { triggers: &all { a: *all } }\n",
    says: ["novels.yaml:2:28: is refused: aliases nest more than 100 levels"],
    schema: "accepts",
  },
  {
    name: "a merge of something else than a map",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun:\n  <<: 3\n",
    says: ["novels.yaml:3:3 run.<<: must be a map or a list of maps"],
    schema: "is not asked",
  },
  {
    name: "an alias bomb",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun:\n  triggers:\n    a: &a [x,x,x,x,x,x,x,x,x,x]\n    b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n    c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n    d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n    e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n    f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n    g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n    h: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g,*g]\n",
    says: [
      "novels.yaml:4:16: is refused: it stands for more than 1000000 values, with those of aliases, merge keys and defaults",
    ],
    schema: "is not asked",
  },
  {
    name: "values that nest too deeply",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun: { triggers: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]] }\n",
    says: [
      "novels.yaml:2:117: is nested too deeply: at most 100 levels are allowed",
      "  2 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
      "    |                                                             ^",
    ],
    schema: "accepts",
  },
  {
    name: "a tag of a type",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nname: !!int 12\n",
    says: ["novels.yaml:2:7: is not valid YAML: the only tag is !!str; got tag:yaml.org,2002:int"],
    schema: "accepts",
  },
  {
    name: "several tags, and two mistakes of the syntax",
    text: "from: { sourceTaskId: s, taskGroupId: !a g }\nretry: !secret x\nname: @x\nprofile: @y\n",
    says: [
      "novels.yaml:1:39: is not valid YAML: the only tag is !!str; got !a",
      "novels.yaml:2:8: is not valid YAML: the only tag is !!str; got !secret",
      "novels.yaml:3:7: is not valid YAML: a value that begins with @ needs quotes",
    ],
    schema: "is not asked",
  },
  {
    name: "a misspelled name",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nacions: { a: { actionType: x, properties: { Url: x } } }\n",
    says: [
      'novels.yaml:2:1 acions: is not a valid name; did you mean "actions"? Valid names: name, from, actions, startUrls, onDelete, forceDestroy, retry, profile, was, opts, run, exports',
    ],
  },
  {
    name: "a name in the wrong place",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nwaitFor: finished\n",
    says: [
      "novels.yaml:2:1 waitFor: is not a valid name; it belongs in run. Valid names: name, from, actions, startUrls, onDelete, forceDestroy, retry, profile, was, opts, run, exports",
    ],
  },
  {
    name: "a name that is like no other",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nzebra: 1\n",
    says: [
      "novels.yaml:2:1 zebra: is not a valid name; valid names: name, from, actions, startUrls, onDelete, forceDestroy, retry, profile, was, opts, run, exports",
    ],
  },
  {
    name: "a name in another case",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nactions: { a: { actiontype: x, properties: { Url: x } } }\n",
    says: [
      "novels.yaml:2:15 actions.a.actionType: is missing: it must be a non-empty string",
      'novels.yaml:2:17 actions.a.actiontype: is not a valid name; did you mean "actionType"? Valid names: actionType, properties, loop',
    ],
  },
  {
    name: "names that the manifest fills in",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun: { taskId: t }\nexports: { rows: { path: x, taskId: t } }\n",
    says: [
      "novels.yaml:2:8 run.taskId: is not a valid name; valid names: triggers, runOnLabel, waitFor, timeoutSeconds, pollSeconds, finishedWhen, settleSeconds, statuses, failOn, onDelete, adoptLotNo, retry, profile, rerunOn, was, opts",
      "novels.yaml:3:29 exports.rows.taskId: is not a valid name; valid names: scope, lotNo, path, format, csv, columns, compression, maxRows, markExported, pipe, pipeTimeoutSeconds, checks, triggers, verifyFile, onDelete, profile, was, opts",
    ],
  },
  {
    name: "wrong types",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nactions: [a]\nstartUrls: x\nrun: [1]\nexports: { rows: 1 }\nonDelete: { a: 1 }\nforceDestroy: 1\nretry: []\n",
    says: [
      "novels.yaml:2:10 actions: must be a non-empty map; got a list",
      "novels.yaml:3:12 startUrls: must be a map; got a string",
      "novels.yaml:4:6 run: must be a map; got a list",
      "novels.yaml:5:18 exports.rows: must be a map; got a string",
      'novels.yaml:6:11 onDelete: must be "retain" or "removeData"; got a map',
      'novels.yaml:7:15 forceDestroy: must be a boolean; got "1": write true or false, without quotes',
      "novels.yaml:8:8 retry: must be a non-empty string; got an empty list",
    ],
  },
  {
    name: "a word that is not allowed",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun: { waitFor: finish }\n",
    says: ['novels.yaml:2:17 run.waitFor: must be "started" or "finished"; got "finish"'],
  },
  {
    name: "no value where a string is needed",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nactions: { a: { actionType: x, properties: { Url: , Wait: ~, Mode: null } } }\n",
    says: [
      'novels.yaml:2:51 actions.a.properties.Url: must be a string, a number or a boolean; got nothing: write "" for an empty string',
      'novels.yaml:2:59 actions.a.properties.Wait: must be a string, a number or a boolean; got nothing: write "" for an empty string',
      'novels.yaml:2:68 actions.a.properties.Mode: must be a string, a number or a boolean; got nothing: write "" for an empty string',
      "  2 | : { a: { actionType: x, properties: { Url: , Wait: ~, Mode: null } } }",
      "    |                                                             ^",
    ],
  },
  {
    name: "empty maps and lists",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nactions: {}\nstartUrls: { urls: [] }\n",
    says: [
      "novels.yaml:2:10 actions: must be a non-empty map; got an empty map",
      "novels.yaml:3:20 startUrls.urls: must be a non-empty list of strings; got an empty list",
    ],
  },
  {
    name: "items that are not single lines",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nstartUrls: { urls: ["https://a.test", "", "a\\nb", ~] }\n',
    says: [
      "novels.yaml:2:39 startUrls.urls[1]: must be a non-empty string without a line break; got an empty string",
      "novels.yaml:2:43 startUrls.urls[2]: must be a non-empty string without a line break; got a string with a line break",
      "novels.yaml:2:51 startUrls.urls[3]: must be a non-empty string without a line break; got nothing",
    ],
  },
  {
    name: "numbers that are not plain",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nrun: { timeoutSeconds: 1_000, pollSeconds: 012, settleSeconds: "5" }\nexports: { rows: { path: x, maxRows: 9007199254740993 } }\n',
    says: [
      'novels.yaml:2:24 run.timeoutSeconds: must be a number of at least 0; got "1_000": write a plain decimal number, without quotes',
      'novels.yaml:2:44 run.pollSeconds: must be a number of at least 0; got "012": write a plain decimal number, without quotes',
      'novels.yaml:2:64 run.settleSeconds: must be a number of at least 0; got "5": write a plain decimal number, without quotes',
      '  2 | : { timeoutSeconds: 1_000, pollSeconds: 012, settleSeconds: "5" }',
      "    |                                                             ^",
      'novels.yaml:3:38 exports.rows.maxRows: must be an integer of at least 1; got "9007199254740993": write a plain decimal number, without quotes',
    ],
  },
  {
    name: "numbers that are too small or no integers",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun: { timeoutSeconds: -1 }\nexports: { rows: { path: x, maxRows: 0.5 } }\n",
    says: [
      "novels.yaml:2:24 run.timeoutSeconds: must be a number of at least 0; got another number",
      "novels.yaml:3:38 exports.rows.maxRows: must be an integer of at least 1; got another number",
    ],
  },
  {
    name: "words for booleans",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nforceDestroy: yes\nopts: { protect: "true", retainOnDelete: on }\n',
    says: [
      'novels.yaml:2:15 forceDestroy: must be a boolean; got "yes": write true or false, without quotes',
      'novels.yaml:3:18 opts.protect: must be a boolean; got "true": write true or false, without quotes',
      'novels.yaml:3:42 opts.retainOnDelete: must be a boolean; got "on": write true or false, without quotes',
    ],
  },
  {
    name: "a missing part",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nactions: { a: { properties: { Url: x } } }\nrun: {}\nexports: { rows: { format: csv } }\n",
    says: [
      "novels.yaml:2:15 actions.a.actionType: is missing: it must be a non-empty string",
      "novels.yaml:4:18 exports.rows.path: is missing: it must be a non-empty string",
    ],
  },
  {
    name: "an export without a run",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nexports: { rows: { path: x } }\n",
    says: [
      "novels.yaml:2:18 exports.rows: reads the rows of a run, but the task has no run: add run: {}, or give lotNo, or another scope",
    ],
    schema: "accepts",
  },
  {
    name: "a run that names other tasks",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun: { rerunOn: [novel, others] }\n",
    says: [
      'novels.yaml:2:18 run.rerunOn[0]: names the task "novel", which this manifest does not declare; did you mean "novels"?',
      'novels.yaml:2:25 run.rerunOn[1]: names the task "others", which this manifest does not declare',
    ],
    schema: "accepts",
  },
  {
    name: "a variable that is not declared",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nactions: { a: { actionType: x, properties: { Url: "${shp}/x", Wait: "${none}", Mode: "${constructor}" } } }\n',
    says: [
      'novels.yaml:2:51 actions.a.properties.Url: has the variable ${shp}, which has no value; did you mean "shop"? Declared: shop, urls, missing, later. Write $${ for the characters ${',
      "novels.yaml:2:69 actions.a.properties.Wait: has the variable ${none}, which has no value. Declared: shop, urls, missing, later. Write $${ for the characters ${",
      '  2 |  { a: { actionType: x, properties: { Url: "${shp}/x", Wait: "${none}", Mode: "${constructor}" } } }',
      "    |                                                             ^",
      "novels.yaml:2:86 actions.a.properties.Mode: has the variable ${constructor}, which has no value. Declared: shop, urls, missing, later. Write $${ for the characters ${",
      '  2 | e: x, properties: { Url: "${shp}/x", Wait: "${none}", Mode: "${constructor}" } } }',
      "    |                                                             ^",
    ],
    schema: "accepts",
  },
  {
    name: "variables with a bad form",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nactions: { a: { actionType: x, properties: { Url: "${shop", Wait: "${a b}", Mode: "${}" } } }\n',
    says: [
      "novels.yaml:2:51 actions.a.properties.Url: has ${ without the name of a variable and }; write $${ for the characters ${",
      "novels.yaml:2:67 actions.a.properties.Wait: has ${ without the name of a variable and }; write $${ for the characters ${",
      '  2 | s: { a: { actionType: x, properties: { Url: "${shop", Wait: "${a b}", Mode: "${}" } } }',
      "    |                                                             ^",
      "novels.yaml:2:83 actions.a.properties.Mode: has ${ without the name of a variable and }; write $${ for the characters ${",
      '  2 | Type: x, properties: { Url: "${shop", Wait: "${a b}", Mode: "${}" } } }',
      "    |                                                             ^",
    ],
    schema: "accepts",
  },
  {
    name: "a variable in a key",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nactions: { a: { actionType: x, properties: { "${shop}": x } } }\n',
    says: [
      "novels.yaml:2:44 actions.a.properties: must be a non-empty map; got an empty map",
      "novels.yaml:2:46 actions.a.properties.${shop}: has a variable in its key; write $${ for the characters ${",
    ],
    schema: "accepts",
  },
  {
    name: "a variable for a map",
    text: 'from: "${shop}"\n',
    says: ["novels.yaml:1:7 from: must be a map; got a variable, which can stand for a single value or a list"],
  },
  {
    name: "variables with a value that does not fit",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nrun: { timeoutSeconds: "${shop}", waitFor: "${shop}" }\nstartUrls: { urls: ["${shop}/${urls}", "${missing}"] }\nopts: { protect: "${shop}" }\n',
    says: [
      "novels.yaml:2:24 run.timeoutSeconds: must be a number of at least 0; got a string",
      'novels.yaml:2:44 run.waitFor: must be "started" or "finished"; got another string',
      "novels.yaml:3:21 startUrls.urls[0]: has the variable ${urls} within a string; there it must be a string, a number or a boolean",
      "novels.yaml:3:40 startUrls.urls[1]: has the variable ${missing}, which has no value. Declared: shop, urls, missing, later. Write $${ for the characters ${",
      "novels.yaml:4:18 opts.protect: must be a boolean; got a string",
    ],
    schema: "accepts",
  },
  {
    name: "an output where the program needs the value",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nname: "${later}"\nopts: { protect: "${later}" }\n',
    says: [
      "novels.yaml:2:7 name: must be known when the program runs; got a variable that is secret, an output or a promise",
      "novels.yaml:3:18 opts.protect: must be known when the program runs; got a variable that is secret, an output or a promise",
    ],
    schema: "accepts",
  },
  {
    name: "a collection without tasks",
    text: "tasks: {}\n",
    says: ["novels.yaml:1:8 tasks: must be a non-empty map; got an empty map"],
  },
  {
    name: "defaults without tasks",
    text: "defaults: { run: {} }\n",
    says: ["novels.yaml:1:1 tasks: is missing: it must be a non-empty map"],
  },
  {
    name: "names in a collection that belong elsewhere",
    text: "run: {}\ndefaults: { name: x, runs: {} }\ntasks: { a: { name: x, from: { adoptTaskId: t } } }\n",
    says: [
      "novels.yaml:1:1 run: is not a valid name; valid names: defaults, tasks",
      'novels.yaml:2:22 defaults.runs: is not a valid name; did you mean "run"? Valid names: from, actions, startUrls, onDelete, forceDestroy, retry, profile, was, opts, run, exports',
      "novels.yaml:3:15 tasks.a.name: is not a valid name; valid names: from, actions, startUrls, onDelete, forceDestroy, retry, profile, was, opts, run, exports",
    ],
  },
  {
    name: "a task of a collection that is no map",
    text: "tasks: { a: 1, b: [], c: }\n",
    says: [
      "novels.yaml:1:13 tasks.a: must be a map; got a string",
      "novels.yaml:1:19 tasks.b: must be a map; got an empty list",
      "novels.yaml:1:26 tasks.c.from: is missing: it must be a map",
    ],
  },
  {
    name: "a mistake in the defaults, once",
    text: "defaults: { from: { adoptTaskId: t }, run: { waitFor: never } }\ntasks: { a: {}, b: {}, c: { run: { pollSeconds: 1 } } }\n",
    says: ['novels.yaml:1:55 defaults.run.waitFor: must be "started" or "finished"; got "never"'],
  },
  {
    name: "two tasks with one name",
    text: "from: { sourceTaskId: s, taskGroupId: g }\n---\nfrom: { sourceTaskId: s, taskGroupId: g }\n",
    says: [
      'novels.yaml:3:1: is the second task with the name "novels"; the first is novels.yaml:1. Give one of them another name',
    ],
    schema: "accepts",
  },
  {
    name: "an earlier name that is in use",
    text: "tasks:\n  a: { from: { adoptTaskId: t }, was: [b] }\n  b: { from: { adoptTaskId: u } }\n",
    says: [
      'novels.yaml:2:40 tasks.a.was[0]: is the name of a task that exists: "b". Only names that are no longer used can be given',
    ],
    schema: "accepts",
  },
  {
    name: "an earlier name of two tasks",
    text: "tasks:\n  a: { from: { adoptTaskId: t }, was: [c] }\n  b: { from: { adoptTaskId: u }, was: [c] }\n",
    says: [
      'novels.yaml:3:40 tasks.b.was[0]: is an earlier name "c" of two tasks, and the engine would give the old one to either of them. Keep it in one',
    ],
    schema: "accepts",
  },
  {
    name: "half of a source and two forms of a list",
    text: "from: { sourceTaskId: s }\nactions:\n  a.b: { actionType: x }\n  c: { actionType: x, loop: { loopType: l, items: [a], itemsFile: b } }\nstartUrls: {}\n",
    says: [
      "novels.yaml:1:7 from.taskGroupId: is missing: a copy needs sourceTaskId and taskGroupId",
      "novels.yaml:3:8 actions.a.b: declares nothing: give properties, loop or both",
      "novels.yaml:4:51 actions.c.loop.items and actions.c.loop.itemsFile: are both given: give either items or itemsFile",
      "novels.yaml:5:12 startUrls.urls: is missing: give either urls or file",
    ],
    schema: "accepts",
  },
  {
    name: "a source that is missing",
    text: "tasks:\n  a: { from: {} }\n",
    says: [
      "novels.yaml:2:14 tasks.a.from.sourceTaskId: is missing: give sourceTaskId and taskGroupId for a copy, or adoptTaskId for a task that exists",
    ],
    schema: "accepts",
  },
  {
    name: "arguments of an export that do not go together",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nrun: {}\nexports:\n  rows: { path: "{lot}", markExported: true }\n  all: { path: "{lotNo}", scope: all }\n  old: { path: x, scope: notExported, lotNo: 1 }\n',
    says: [
      'novels.yaml:4:17 exports.rows.path: contains "{lot}"; known placeholders are {lotNo}, {time}, {n}',
      "novels.yaml:4:17 exports.rows.path: must contain {lotNo}, {time} or {n} with markExported: a file of marked rows is never overwritten",
      'novels.yaml:5:16 exports.all.path: contains "{lotNo}", which needs scope "batch"',
      'novels.yaml:6:46 exports.old.lotNo: needs scope "batch"; got scope "notExported"',
    ],
    schema: "accepts",
  },
  {
    name: "checks of an export that no rows could pass",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nrun: {}\nexports:\n  rows:\n    path: x\n    checks:\n      minRows: 5\n      maxRows: 2\n      fields:\n        price: { filled: 95, type: text }\n",
    says: [
      "novels.yaml:7:16 exports.rows.checks.minRows: is greater than checks.maxRows, so no export could pass",
      "novels.yaml:10:26 exports.rows.checks.fields.price.filled: must be a number from 0 to 1; got another number",
      'novels.yaml:10:36 exports.rows.checks.fields.price.type: must be "number" or "integer" or "date" or "url"; got "text"',
    ],
  },
  {
    name: "a name that the engine loses",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nactions: { __proto__: { actionType: x, properties: { __proto__: y } } }\n",
    says: [
      "novels.yaml:2:10 actions: must be a non-empty map; got an empty map",
      "novels.yaml:2:12 actions: must have non-empty strings other than __proto__ as keys",
    ],
    schema: "accepts",
  },
  {
    name: "half of a character",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nactions: { a: { actionType: x, properties: { Url: "a\\uD800b", "\\uDC00": x } } }\nretry: "\\uD83D\\uDE00"\n',
    says: [
      "novels.yaml:2:51 actions.a.properties.Url: must be a string, a number or a boolean; got a string with half of a surrogate pair",
    ],
    schema: "accepts",
  },
  {
    name: "actions whose names begin alike",
    text: "from: { sourceTaskId: s, taskGroupId: g }\nactions:\n  open: { actionType: x }\n  open2: { actionType: x, propertis: {} }\n  open.z: { actionType: x, propertis: {} }\n",
    says: [
      "novels.yaml:3:9 actions.open: declares nothing: give properties, loop or both",
      "novels.yaml:4:10 actions.open2: declares nothing: give properties, loop or both",
      'novels.yaml:4:27 actions.open2.propertis: is not a valid name; did you mean "properties"? Valid names: actionType, properties, loop',
      "novels.yaml:5:11 actions.open.z: declares nothing: give properties, loop or both",
      'novels.yaml:5:28 actions.open.z.propertis: is not a valid name; did you mean "properties"? Valid names: actionType, properties, loop',
    ],
  },
  {
    name: "halves of URNs as earlier names",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nwas: [old, "urn:pulumi:"]\nrun: { was: [urn:pulumi:dev::proj] }\nexports: { rows: { path: x, was: ["urn:pulumi:dev::proj::a:b:C::"] } }\n',
    says: [
      "novels.yaml:2:12 was[1]: is not a whole URN: urn:pulumi:STACK::PROJECT::TYPE::NAME",
      "novels.yaml:3:14 run.was[0]: is not a whole URN: urn:pulumi:STACK::PROJECT::TYPE::NAME",
      "novels.yaml:4:35 exports.rows.was[0]: is not a whole URN: urn:pulumi:STACK::PROJECT::TYPE::NAME",
    ],
    schema: "accepts",
  },
  {
    name: "a very long line",
    text: 'from: { sourceTaskId: s, taskGroupId: g }\nretry: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", oops: 1\n',
    says: [
      "novels.yaml:2:8: is not valid YAML: a map cannot begin inside a value; quote the value, or begin the map on a new line",
      '  2 | retry: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      "    |        ^",
    ],
    schema: "is not asked",
  },
];
