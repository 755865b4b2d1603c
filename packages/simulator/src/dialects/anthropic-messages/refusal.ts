// Errors in Anthropic's wording: the path with dots, then the problem.
import type { Path, ShapeProblem } from '../shape-check.ts';

export interface MessagesRefusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

export function badRequest(message: string): MessagesRefusal {
  return { status: 400, type: 'invalid_request_error', message };
}

export function at(path: Path, message: string): MessagesRefusal {
  return badRequest(`${path.join('.')}: ${message}`);
}

const TYPE_SENTENCES: Readonly<Record<string, string>> = {
  string: 'Input should be a valid string',
  integer: 'Input should be a valid integer',
  number: 'Input should be a valid number',
  boolean: 'Input should be a valid boolean',
  array: 'Input should be a valid array',
  object: 'Input should be an object',
};

export function wordProblem({ path, kind, expected, found }: ShapeProblem): MessagesRefusal {
  const noun = Array.isArray(found) ? 'List' : 'String';
  const unit = Array.isArray(found) ? 'item' : 'character';
  const sentences: Readonly<Record<ShapeProblem['kind'], string>> = {
    unknown: 'Extra inputs are not permitted',
    missing: 'Field required',
    type: TYPE_SENTENCES[expected] ?? 'Input is invalid',
    word: `Input should be ${expected.replace(/, (?='[^']*'$)/u, ' or ')}`,
    low: `Input should be greater than or equal to ${expected}`,
    high: `Input should be less than or equal to ${expected}`,
    short: `${noun} should have at least ${expected} ${unit}${expected === '1' ? '' : 's'}`,
    long: `${noun} should have at most ${expected} ${unit}s`,
    pattern: `String should match pattern '${expected}'`,
  };
  return at(path, sentences[kind]);
}
