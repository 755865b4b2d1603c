/** Settings that a person looks for, and their values as one line. */
import type { Schemas } from '../../api/client.ts';

type Setting = Schemas['Setting'];

export const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Every word must occur in the path, the value or the place; without words, defaults are shown only on request. */
export function matching(settings: readonly Setting[], search: string, withDefaults: boolean): readonly Setting[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter(({ path, value, source, place }) => {
    if (!withDefaults && words.length === 0 && source === 'default') return false;
    const text = `${path} ${valueText(value)} ${place ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
