/** Text → a checked request. Pure: depth and duplicates first, then JSON, then the dialect's own rules. */
import { type Fault, GatewayError, isJsonObject, type JsonObject } from '@trivium/protocol/canonical';
import {
  type AnyDialect,
  type CallerDialect,
  findAnyDialect,
  hasCallers,
  type RequestHead,
  type Sealing,
} from '@trivium/protocol/dialects';
import { type JsonProblem, JsonShapeError, type Member, parseUntrustedObject } from '@trivium/protocol/framing';
import { withExactArguments } from './exact-arguments.ts';
import { grow, type Identified, type Understood } from './stages.ts';

/** Seals are signed for one account: what one tenant was given is worthless to another. */
export type SealingOf = (accountId: string) => Sealing;

const PROBLEMS: Readonly<Record<JsonProblem, string>> = {
  'not-json': 'The request body is not valid JSON.',
  'not-an-object': 'The request body must be a JSON object.',
  'too-deep': 'The request body is nested too deeply.',
  'duplicate-member': 'The request body names a field twice',
  'forbidden-member': 'The request body holds a field name that is not allowed',
};

export function understand(identified: Identified, text: string, maxDepth: number, sealing: SealingOf): Understood {
  const { value, members } = openBody(text, maxDepth, identified.dialect);
  const { strict, files } = identified;
  const head: RequestHead = {
    ...identified.head,
    sealing: sealing(identified.caller.accountId),
    strict,
    ...(files !== undefined && { files }),
  };
  const dialect = dialectOf(identified.dialect, value);
  return grow(identified, { text, members, head, dialect, understanding: dialect.server.understand(value, head) });
}

/** Where several dialects share a path, the body says whose it is. */
function dialectOf(dialect: CallerDialect, body: JsonObject): CallerDialect {
  const id = dialect.operation === 'image' ? dialect.server.siblingFor?.(body) : undefined;
  const sibling = id === undefined ? undefined : findAnyDialect(id);
  return sibling !== undefined && hasCallers(sibling) ? sibling : dialect;
}

/** A caller's body as an object, with the places of its members. */
export function openBody(
  text: string,
  maxDepth: number,
  { argumentsAsValues }: Pick<AnyDialect, 'argumentsAsValues'>,
): { value: JsonObject; members: readonly Member[] } {
  try {
    const { value, members } = parseUntrustedObject(text, maxDepth);
    if (isJsonObject(value))
      return { value: argumentsAsValues === true ? withExactArguments(value, text) : value, members };
  } catch (error) {
    if (!(error instanceof JsonShapeError)) throw error;
    throw new GatewayError(problemFault(error), { cause: error });
  }
  throw new GatewayError({ kind: 'malformed', message: PROBLEMS['not-an-object'] });
}

function problemFault({ problem, member }: JsonShapeError): Fault {
  if (member === undefined) return { kind: 'malformed', message: PROBLEMS[problem] };
  const shown = member.slice(0, 64);
  return { kind: 'malformed', message: `${PROBLEMS[problem]}: '${shown}'.`, field: shown };
}
