// A shape problem in OpenAI's wording.
import { badRequest, bracketPath, type ChatRefusal, foundPhrase, typePhrase } from '../openai-chat/refusal.ts';
import type { ShapeProblem } from '../shape-check.ts';

export function wordProblem(problem: ShapeProblem | undefined): ChatRefusal | undefined {
  if (problem === undefined) return undefined;
  const { kind, expected, found } = problem;
  const name = bracketPath(problem.path);
  switch (kind) {
    case 'unknown':
      return badRequest(`Unknown parameter: '${name}'.`, name, 'unknown_parameter');
    case 'missing':
      return badRequest(`Missing required parameter: '${name}'.`, name, 'missing_required_parameter');
    case 'type': {
      const message = `Invalid type for '${name}': expected ${typePhrase(expected)}, but got ${foundPhrase(found)} instead.`;
      return badRequest(message, name, 'invalid_type');
    }
    case 'word':
      return badRequest(`Invalid value: '${String(found)}'. Supported values are: ${expected}.`, name, 'invalid_value');
    case 'pattern': {
      const message = `Invalid '${name}': string does not match pattern. Expected a string that matches the pattern '${expected}'.`;
      return badRequest(message, name, 'invalid_value');
    }
    default:
      return wordLimit(problem, name);
  }
}

function wordLimit({ kind, expected, found }: ShapeProblem, name: string): ChatRefusal {
  const number = Number.isInteger(found) ? 'integer' : 'decimal';
  const noun = Array.isArray(found) ? 'array' : 'string';
  const length = typeof found === 'string' || Array.isArray(found) ? found.length : 0;
  switch (kind) {
    case 'low': {
      const message = `Invalid '${name}': ${number} below minimum value. Expected a value >= ${expected}, but got ${found} instead.`;
      return badRequest(message, name, `${number}_below_min_value`);
    }
    case 'high': {
      const message = `Invalid '${name}': ${number} above maximum value. Expected a value <= ${expected}, but got ${found} instead.`;
      return badRequest(message, name, `${number}_above_max_value`);
    }
    case 'short': {
      const message = `Invalid '${name}': empty ${noun}. Expected a minimum length of ${expected}, but got an empty ${noun} instead.`;
      return badRequest(message, name, `empty_${noun}`);
    }
    default: {
      const message = `Invalid '${name}': ${noun} too long. Expected a maximum length of ${expected}, but got length ${length} instead.`;
      return badRequest(message, name, `${noun}_above_max_length`);
    }
  }
}
