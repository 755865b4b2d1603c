/**
 * Does a prompt fit the context windows of its hosts? Uses the bounds of our own estimate only: no request to a host,
 * no tokenizer, and no parsing of a call that is clearly short enough for every host.
 */
import { GatewayError } from '@trivium/protocol/canonical';
import { ESTIMATE_MARGIN, estimateInputTokens, leastInputTokens, readsAtResolution } from '@trivium/protocol/dialects';
import type { InputBounds } from '../../kernel/record.ts';
import type { Room } from '../../kernel/route.ts';
import type { Target } from '../../kernel/target.ts';
import { asTextCall, OPERATIONS } from '../operations.ts';
import type { Understood } from '../request.ts';

/** The estimate's maximum for characters and for media, before its margin. */
const MOST_TOKENS_PER_CHARACTER = 1;
const MOST_TOKENS_PER_MEDIUM = 3_000;

export type Rooms = { readonly bounds: InputBounds; readonly roomOf: (target: Target) => Room };

/**
 * Undefined where it makes no difference: the context windows are equal, all long enough, or the call cannot be parsed.
 */
export function roomsFor(understood: Understood, targets: readonly Target[]): Rooms | undefined {
  if (!OPERATIONS[understood.dialect.operation].hasContext) return undefined;
  const contexts = new Set(targets.map(contextOf));
  if (contexts.size < 2) return undefined;
  contexts.delete(0);
  if (mostByLength(understood) <= Math.min(...contexts)) return undefined;
  const bounds = boundsOf(understood, targets);
  return bounds === undefined ? undefined : { bounds, roomOf: (target) => roomIn(contextOf(target), bounds) };
}

/** In tokens; 0 if unknown. */
export const contextOf = ({ route }: Target): number => route.contextLength;

const roomIn = (contextLength: number, { atLeast, atMost }: InputBounds): Room =>
  contextLength === 0 || contextLength >= atMost ? 'fits' : contextLength < atLeast ? 'exceeds' : 'may-exceed';

/** A body parsed on another thread has its estimates already, and not all of its media are listed here. */
const mostByLength = ({ text, understanding: { media }, onWorker }: Understood): number =>
  onWorker === undefined
    ? ESTIMATE_MARGIN * (MOST_TOKENS_PER_CHARACTER * text.length + MOST_TOKENS_PER_MEDIUM * media.length)
    : Number.POSITIVE_INFINITY;

function boundsOf(understood: Understood, targets: readonly Target[]): InputBounds | undefined {
  const figures = figuresOf(understood, targets);
  if (figures === undefined) return undefined;
  const { server } = understood.dialect;
  const shorteners = 'shorteners' in server ? server.shorteners : undefined;
  const mayShrink = shorteners !== undefined && understood.members.some(({ name }) => shorteners.includes(name));
  return { atLeast: mayShrink ? 0 : figures.least, atMost: ESTIMATE_MARGIN * figures.usual };
}

function figuresOf(
  { understanding, onWorker }: Understood,
  targets: readonly Target[],
): { readonly least: number; readonly usual: number } | undefined {
  const atResolution = understanding.media.length > 0 && targets.some(({ facts }) => readsAtResolution(facts.model));
  if (onWorker !== undefined) {
    const { inputTokens, inputTokensAtResolution, leastInputTokens: least } = onWorker.figures;
    const usual = atResolution ? inputTokensAtResolution : inputTokens;
    return usual === undefined || least === undefined ? undefined : { least, usual };
  }
  try {
    const call = asTextCall(understanding.call());
    if (call === undefined) return undefined;
    return { least: leastInputTokens(call), usual: estimateInputTokens(call, atResolution) };
  } catch (error) {
    // A call that cannot be rebuilt may still be sent verbatim.
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
