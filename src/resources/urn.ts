/** The parts of `urn:pulumi:stack::project::parent$package:module:Type::name`. A name can contain `::`. */
export function partsOfUrn(urn: string): { type: string; name: string } {
  const [types = "", ...name] = urn.split("::").slice(2);
  return { type: types.split("$").at(-1) ?? "", name: name.join("::") };
}
