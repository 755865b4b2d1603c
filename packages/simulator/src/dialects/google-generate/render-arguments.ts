// Arguments of a call in pieces, as Vertex sends them on request: typed values at paths, long strings in parts.
import { isRecord } from '../../json-value.ts';

/** Every value, with its path. */
export function leaves(value: unknown, jsonPath: string): readonly object[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => leaves(one, `${jsonPath}[${at}]`));
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, one]) => {
      const step = /^[A-Za-z_]\w*$/u.test(name) ? `.${name}` : `['${name.replaceAll("'", "\\'")}']`;
      return leaves(one, `${jsonPath}${step}`);
    });
  if (typeof value === 'number') return [{ jsonPath, numberValue: value }];
  if (typeof value === 'boolean') return [{ jsonPath, boolValue: value }];
  if (typeof value !== 'string') return [{ jsonPath, nullValue: 'NULL_VALUE' }];
  const points = Array.from(value);
  if (points.length < 2) return [{ jsonPath, stringValue: value }];
  const middle = Math.floor(points.length / 2);
  return [
    { jsonPath, stringValue: points.slice(0, middle).join(''), willContinue: true },
    { jsonPath, stringValue: points.slice(middle).join('') },
  ];
}
