/** Where in a JSON text a member is, by its path as the API names it. */
const TOKEN = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The start of the deepest member of the path that is there; 0 where none is. `path` is in dots: `permissions.allow.0`. */
export function placeIn(text: string, path: string): number {
  const around: { readonly isList: boolean; at: string | number }[] = [];
  let [place, depth, isKeyDue] = [0, 0, false];
  const visit = (start: number): void => {
    const here = around.map(({ at }) => at).join('.');
    if (around.length > depth && `${path}.`.startsWith(`${here}.`)) [place, depth] = [start, around.length];
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const inner = around.at(-1);
    if (token === '}' || token === ']') around.pop();
    if (token === ',' && inner?.isList) inner.at = Number(inner.at) + 1;
    if (token === ',') isKeyDue = inner?.isList === false;
    if (/^[}\],:]/.test(token)) continue;
    if (inner !== undefined && isKeyDue) inner.at = token.slice(1, -1);
    if (inner !== undefined && (isKeyDue || inner.isList)) visit(index);
    isKeyDue = token === '{';
    if (token === '{' || token === '[') around.push({ isList: token === '[', at: 0 });
  }
  return place;
}
