/** Lines of a journal: JSON, each with a checksum before it, so that a torn end is noticed. */

/** `json` has no line breaks, as `JSON.stringify` writes it. */
export const lineOf = (json: string): string => `${checksum(json)} ${json}\n`;

/** The JSON of each line, up to the first that is torn or changed. */
export function* readLines(text: string): Generator<string> {
  let from = 0;
  for (let to = text.indexOf('\n'); to !== -1; from = to + 1, to = text.indexOf('\n', from)) {
    const json = text.slice(from + 9, to);
    if (text[from + 8] !== ' ' || text.slice(from, from + 8) !== checksum(json)) return;
    yield json;
  }
}

/** FNV-1a: finds torn lines; it is no defence against whoever can write the file. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
