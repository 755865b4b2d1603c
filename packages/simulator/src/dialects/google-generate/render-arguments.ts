// Arguments of a call in pieces, as Vertex sends them on request: typed values at paths, long strings in parts.
import { isRecord } from '../../json-value.ts';
import type { GeneratePart } from './render-plain.ts';

export function partialCalls(name: string, argumentsText: string): readonly GeneratePart[] {
  const args: unknown = argumentsText === '' ? {} : JSON.parse(argumentsText);
  return [
    { functionCall: { name, willContinue: true } },
    ...leaves(args, '$').map((partial) => ({ functionCall: { partialArgs: [partial], willContinue: true } })),
    { functionCall: {} },
  ];
}

function leaves(value: unknown, jsonPath: string): readonly object[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => leaves(one, `${jsonPath}[${at}]`));
  if (isRecord(value)) return Object.entries(value).flatMap(([name, one]) => leaves(one, `${jsonPath}${member(name)}`));
  switch (typeof value) {
    case 'string':
      return halves(value, jsonPath);
    case 'number':
      return [{ jsonPath, numberValue: value }];
    case 'boolean':
      return [{ jsonPath, boolValue: value }];
    default:
      return [{ jsonPath, nullValue: 'NULL_VALUE' }];
  }
}

function member(name: string): string {
  return /^[A-Za-z_]\w*$/u.test(name) ? `.${name}` : `['${name.replaceAll("'", "\\'")}']`;
}

function halves(text: string, jsonPath: string): readonly object[] {
  const points = Array.from(text);
  if (points.length < 2) return [{ jsonPath, stringValue: text }];
  const middle = Math.floor(points.length / 2);
  return [
    { jsonPath, stringValue: points.slice(0, middle).join(''), willContinue: true },
    { jsonPath, stringValue: points.slice(middle).join('') },
  ];
}
