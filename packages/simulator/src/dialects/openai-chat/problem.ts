// Problems of shapes in OpenAI's wording.
import { type Path, quoted, type ShapeProblem, sizeOf, typesOf } from '../shape-check.ts';
import { badRequest, bracketPath, type ChatRefusal } from './refusal.ts';
import { chatShapes } from './shapes.ts';

const TYPE_PHRASES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a decimal',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
};

export function wordProblem(problem: ShapeProblem | undefined, isChat = false): ChatRefusal | undefined {
  if (problem === undefined) return undefined;
  const { kind, expected, found } = problem;
  const name = bracketPath(problem.path);
  const invalid = (what: string, code: string): ChatRefusal => badRequest(`Invalid '${name}': ${what}`, name, code);
  // Chat completions name the declared type of a number, the others the one they found.
  const number = (isChat ? problem.isInteger : Number.isInteger(found)) ? 'integer' : 'decimal';
  const noun = Array.isArray(found) ? 'array' : 'string';
  const size = sizeOf(found);
  switch (kind) {
    case 'unknown':
      return badRequest(`Unknown parameter: '${name}'.`, name, 'unknown_parameter');
    case 'missing':
      return badRequest(`Missing required parameter: '${name}'.`, name, 'missing_required_parameter');
    case 'type': {
      const types = isChat ? (problem.types ?? [expected]) : [expected];
      const phrase = `${types.length > 1 ? 'one of ' : ''}${types.map((type) => TYPE_PHRASES[type]).join(' or ')}`;
      const got = found === null ? 'null' : TYPE_PHRASES[typesOf(found).at(-1) ?? ''];
      const message = `Invalid type for '${name}': expected ${phrase}, but got ${got} instead.`;
      return badRequest(message, name, 'invalid_type');
    }
    case 'word':
      return badRequest(`Invalid value: '${String(found)}'. Supported values are: ${expected}.`, name, 'invalid_value');
    case 'pattern':
      return invalid(
        `string does not match pattern. Expected a string that matches the pattern '${expected}'.`,
        'invalid_value',
      );
    case 'low':
      return invalid(
        `${number} below minimum value. Expected a value >= ${expected}, but got ${found} instead.`,
        `${number}_below_min_value`,
      );
    case 'high':
      return invalid(
        `${number} above maximum value. Expected a value <= ${expected}, but got ${found} instead.`,
        `${number}_above_max_value`,
      );
    case 'short': {
      const wanted = isChat ? `${TYPE_PHRASES[noun]} with minimum length` : 'a minimum length of';
      return invalid(
        `empty ${noun}. Expected ${wanted} ${expected}, but got an empty ${noun} instead.`,
        `empty_${noun}`,
      );
    }
    case 'long': {
      if (typeof found === 'object' && !Array.isArray(found))
        return invalid(
          `too many properties. Expected an object with at most ${expected} properties, but got an object with ${size} properties instead.`,
          'object_above_max_properties',
        );
      const wanted = isChat ? `${TYPE_PHRASES[noun]} with maximum length` : 'a maximum length of';
      const got = isChat ? `${TYPE_PHRASES[noun]} with length` : 'length';
      return invalid(
        `${noun} too long. Expected ${wanted} ${expected}, but got ${got} ${size} instead.`,
        `${noun}_above_max_length`,
      );
    }
  }
}

/** A word that decides how the rest is read. */
export function checkWord(found: unknown, words: readonly string[], path: Path): ChatRefusal | undefined {
  if (words.some((word) => word === found)) return undefined;
  return wordProblem({ path, kind: found === undefined ? 'missing' : 'word', expected: quoted(words), found });
}

/** Of the problems in the first member that has any, chat completions report the deepest, and a mere type mismatch last. */
export function explain(name: string, value: unknown, at: Path, ignoreUnknown: boolean): ChatRefusal | undefined {
  let best: { readonly problem: ShapeProblem; readonly top: unknown; readonly weight: number } | undefined;
  for (const problem of chatShapes.all(name, value, at, ignoreUnknown)) {
    const { kind, path } = problem;
    // A member that is missing, or should be, is a problem of the object around it.
    const depth = path.length - at.length - (kind === 'missing' || kind === 'unknown' ? 1 : 0);
    const top = depth === 0 ? undefined : path[at.length];
    const weight = depth * 2 + (kind === 'type' ? 0 : 1);
    const isBeside = top === best?.top;
    if (best === undefined || (isBeside ? weight > best.weight : top === undefined)) best = { problem, top, weight };
  }
  return wordProblem(best?.problem, true);
}
