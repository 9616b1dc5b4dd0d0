import schema from "../../plugin/schema.json";

/** The examples in the docs of schema.json: the code by resource and language. */
export function schemaExamples(): { type: string; code: Record<string, string> }[] {
  return Object.entries(schema.resources).map(([token, { description }]) => {
    const [, examples = ""] = /\{\{% examples %\}\}([\s\S]*)\{\{% \/examples %\}\}$/.exec(description) ?? [];
    const blocks = [...examples.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
    const code = Object.fromEntries(blocks.map(([, language = "", text = ""]) => [language, text]));
    return { type: token.replace("webextract:index:", ""), code };
  });
}
