// Errors in Google's wording: an RPC status, and for bad fields the field's path in snake case.
import type { Path, ShapeProblem } from '../shape-check.ts';

export interface GenerateRefusal {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly details?: readonly object[];
}

export function invalid(message: string, details?: readonly object[]): GenerateRefusal {
  return { code: 400, status: 'INVALID_ARGUMENT', message, ...(details === undefined ? {} : { details }) };
}

export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** `contents[0].parts[1].function_call`. */
export function fieldPath(path: Path): string {
  return path
    .map((segment, at) =>
      typeof segment === 'number' ? `[${segment}]` : at === 0 ? snake(segment) : `.${snake(segment)}`,
    )
    .join('');
}

function fieldRefusal(message: string, field: string): GenerateRefusal {
  const fieldViolations = [field === '' ? { description: message } : { field, description: message }];
  return invalid(message, [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }]);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'TYPE_STRING',
  integer: 'TYPE_INT32',
  number: 'TYPE_FLOAT',
  boolean: 'TYPE_BOOL',
  array: 'TYPE_MESSAGE',
  object: 'TYPE_MESSAGE',
};

export function wordProblem({ path, kind, expected, found }: ShapeProblem): GenerateRefusal {
  const field = fieldPath(path);
  if (kind === 'unknown') {
    const parent = fieldPath(path.slice(0, -1));
    const place = parent === '' ? '' : ` at '${parent}'`;
    const name = String(path.at(-1));
    return fieldRefusal(`Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`, parent);
  }
  if (kind === 'type' || kind === 'word') {
    const type = kind === 'word' ? 'TYPE_ENUM' : (TYPE_WORDS[expected] ?? 'TYPE_MESSAGE');
    return fieldRefusal(`Invalid value at '${field}' (${type}), ${JSON.stringify(found)}`, field);
  }
  return violation(path, `value is out of range, limit ${expected}`);
}

export function violation(path: Path, what: string): GenerateRefusal {
  return invalid(`* GenerateContentRequest.${fieldPath(path)}: ${what}\n`);
}
