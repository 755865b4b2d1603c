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

export function wordProblem(problem: ShapeProblem | undefined): MessagesRefusal | undefined {
  return problem === undefined ? undefined : at(problem.path, sentenceFor(problem));
}

function sentenceFor({ kind, expected, found }: ShapeProblem): string {
  const noun = Array.isArray(found) ? 'List' : 'String';
  const unit = Array.isArray(found) ? 'item' : 'character';
  switch (kind) {
    case 'unknown':
      return 'Extra inputs are not permitted';
    case 'missing':
      return 'Field required';
    case 'type':
      return TYPE_SENTENCES[expected] ?? 'Input is invalid';
    case 'word':
      return `Input should be ${expected.replace(/, (?='[^']*'$)/u, ' or ')}`;
    case 'low':
      return `Input should be greater than or equal to ${expected}`;
    case 'high':
      return `Input should be less than or equal to ${expected}`;
    case 'short':
      return `${noun} should have at least ${expected} ${unit}${expected === '1' ? '' : 's'}`;
    case 'long':
      return `${noun} should have at most ${expected} ${unit}s`;
    case 'pattern':
      return `String should match pattern '${expected}'`;
  }
}
