/** What a caller is told about a body whose shape was refused: what is wrong, and the bound it exceeds. */
import type { Fault } from '@trivium/protocol/canonical';
import type { JsonProblem, JsonShapeError } from '@trivium/protocol/framing';

export const NOT_AN_OBJECT = 'The request body must be a JSON object.';

const MAX_SHOWN_LENGTH = 64;

type Sentence = (member: string | undefined, bound: number | undefined) => string;

const SENTENCES: Readonly<Record<JsonProblem, Sentence>> = {
  'not-json': () => 'The request body is not valid JSON.',
  'not-an-object': () => NOT_AN_OBJECT,
  'too-deep': (_, bound) => `The request body is nested deeper than ${bound} levels (limits.jsonDepth).`,
  'too-many-members': (_, bound) =>
    `The request body has an object with more than ${bound} members (limits.jsonMembers).`,
  'too-many-elements': (_, bound) =>
    `The request body has an array with more than ${bound} elements (limits.jsonElements).`,
  'too-many-values': (_, bound) => `The request body holds more than ${bound} values (limits.jsonValues).`,
  'string-too-long': (_, bound) =>
    `The request body has a string of more than ${bound} bytes (limits.jsonStringBytes).`,
  'duplicate-member': (member) => `The request body names a field twice: '${member}'.`,
  'forbidden-member': (member) => `The request body holds a field name that is not allowed: '${member}'.`,
};

export function shapeFault({ problem, member, bound }: JsonShapeError): Fault {
  const field = member?.slice(0, MAX_SHOWN_LENGTH);
  const message = SENTENCES[problem](field, bound);
  const kind = problem === 'string-too-long' ? 'too-large' : 'malformed';
  return field === undefined ? { kind, message } : { kind, message, field };
}
