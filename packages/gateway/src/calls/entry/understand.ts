/** Text → a validated request. Pure: depth, counts and duplicates first, then JSON, then the dialect's own rules. */
import { type Fault, GatewayError, isJsonObject, type JsonObject } from '@trivium/protocol/canonical';
import {
  type AnyDialect,
  type AnyUnderstanding,
  type CallerDialect,
  findAnyDialect,
  hasCallers,
  type RequestHead,
  type Sealing,
} from '@trivium/protocol/dialects';
import {
  type JsonBounds,
  type JsonMember,
  type JsonProblem,
  JsonShapeError,
  parseUntrustedObject,
} from '@trivium/protocol/framing';
import { withExactArguments } from '../lanes/exact-arguments.ts';
import type { Identified, Understood } from '../request.ts';

/** Seals are signed per account: what one tenant received is worthless to another. */
export type SealingOf = (accountId: string) => Sealing;

export function understand(identified: Identified, text: string, bounds: JsonBounds, sealing: SealingOf): Understood {
  const { strict, files } = identified;
  const head: RequestHead = {
    ...identified.head,
    sealing: sealing(identified.caller.accountId),
    strict,
    ...(files !== undefined && { files }),
  };
  const body = understandBody(identified.dialect, text, bounds, head);
  return Object.assign(identified, { text, head, ...body, strict: strict || wantsAll(body.understanding) });
}

/** The body itself may request strict parameters. */
export const wantsAll = ({ routing }: Pick<AnyUnderstanding, 'routing'>): boolean =>
  routing?.requireParameters === true;

export function understandBody(
  asked: CallerDialect,
  text: string,
  bounds: JsonBounds,
  head: RequestHead,
): Pick<Understood, 'members' | 'dialect' | 'understanding'> {
  const { value, members } = openBody(text, bounds, asked);
  // Where several dialects share a path, the body decides which one it is.
  const id = 'siblingFor' in asked.server ? asked.server.siblingFor?.(value) : undefined;
  const sibling = id === undefined ? undefined : findAnyDialect(id);
  const dialect = sibling !== undefined && hasCallers(sibling) ? sibling : asked;
  return { members, dialect, understanding: dialect.server.understand(value, head) };
}

/** A caller's body as an object, with the position of its members. */
export function openBody(
  text: string,
  bounds: JsonBounds,
  { argumentsAsValues }: Pick<AnyDialect, 'argumentsAsValues'>,
): { value: JsonObject; members: readonly JsonMember[] } {
  try {
    const { value, members } = parseUntrustedObject(text, bounds);
    if (isJsonObject(value))
      return { value: argumentsAsValues === true ? withExactArguments(value, text) : value, members };
  } catch (error) {
    if (!(error instanceof JsonShapeError)) throw error;
    throw new GatewayError(shapeFault(error), { cause: error });
  }
  throw new GatewayError({ kind: 'malformed', message: NOT_AN_OBJECT });
}

// Error messages for a refused body: what is wrong, and the limit it exceeds.

const NOT_AN_OBJECT = 'The request body must be a JSON object.';

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
