/**
 * Tool call ids in the form a host requires: a fixed number of letters and digits, else at most as long as the format's
 * home accepts. The same id always maps to the same.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Ids of other makers are longer. */
const MAX_LENGTH = 40;

export const isLongId = (id: string): boolean => id.length > MAX_LENGTH;

/** One mapping per request, so that a call and its result stay together and no two ids collide. */
export function callIdForm(length: number): (id: string) => string {
  if (length > 0) {
    const exact = new RegExp(`^[A-Za-z0-9]{${length}}$`);
    return mapping((id) => exact.test(id), length);
  }
  const shortened = mapping((id) => !isLongId(id), MAX_LENGTH);
  return (id) => (isLongId(id) ? shortened(id) : id);
}

function mapping(fits: (id: string) => boolean, length: number): (id: string) => string {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  return (id) => {
    const known = given.get(id);
    if (known !== undefined) return known;
    let form = fits(id) ? id : digest(id, length);
    for (let bump = 1; taken.has(form); bump++) form = digest(`${id}#${bump}`, length);
    given.set(id, form);
    taken.add(form);
    return form;
  };
}

/** FNV-1a, extended to the requested length. Only collisions within one request matter, and those are resolved. */
function digest(text: string, length: number): string {
  let hash = 0x811c9dc5;
  const mix = (code: number): void => {
    hash = Math.imul(hash ^ code, 0x01000193) >>> 0;
  };
  for (let at = 0; at < text.length; at++) mix(text.charCodeAt(at));
  let out = '';
  for (let at = 0; at < length; at++) {
    mix(at + 1);
    out += ALPHABET[hash % ALPHABET.length];
  }
  return out;
}
