/** Text → a checked request. Pure: depth and duplicates first, then JSON, then the dialect's own rules. */
import { type Fault, GatewayError, isJsonObject } from '@trivium/protocol/canonical';
import {
  type JsonProblem,
  JsonShapeError,
  parseUntrustedObject,
  type UntrustedObject,
} from '@trivium/protocol/framing';
import type { Identified, Understood } from './stages.ts';

const PROBLEMS: Readonly<Record<JsonProblem, string>> = {
  'not-json': 'The request body is not valid JSON.',
  'not-an-object': 'The request body must be a JSON object.',
  'too-deep': 'The request body is nested too deeply.',
  'duplicate-member': 'The request body names a field twice',
  'forbidden-member': 'The request body holds a field name that is not allowed',
};

export function understand(identified: Identified, text: string, maxDepth: number): Understood {
  const { value, members } = open(text, maxDepth);
  if (!isJsonObject(value)) throw new GatewayError({ kind: 'malformed', message: PROBLEMS['not-an-object'] });
  return { ...identified, text, members, understanding: identified.dialect.server.understand(value, identified.head) };
}

function open(text: string, maxDepth: number): UntrustedObject {
  try {
    return parseUntrustedObject(text, maxDepth);
  } catch (error) {
    if (!(error instanceof JsonShapeError)) throw error;
    throw new GatewayError(problemFault(error), { cause: error });
  }
}

function problemFault({ problem, member }: JsonShapeError): Fault {
  if (member === undefined) return { kind: 'malformed', message: PROBLEMS[problem] };
  const shown = member.slice(0, 64);
  return { kind: 'malformed', message: `${PROBLEMS[problem]}: '${shown}'.`, field: shown };
}
