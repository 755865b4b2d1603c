/**
 * A complete message from an upstream → the canonical answer. Lenient: compatible hosts omit members that the format's
 * home always sends.
 */
import type { TextAnswer } from '../../canonical/answer.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { SealOwner } from '../../canonical/sealed.ts';
import { EMIT_TOOL } from '../../passes/bind-output.ts';
import { unescapeName } from '../../passes/safe-names.ts';
import type { TargetFacts } from '../dialect.ts';
import { broken } from '../upstream-errors.ts';
import { type BlockReading, decodeContent } from './decode-blocks.ts';
import { faultInside } from './faults.ts';
import { readFinish } from './finish.ts';
import { readUsage } from './usage.ts';

/** Seals in an answer belong to the host that answered. */
export const upstreamReading = (owner: SealOwner): BlockReading => ({
  seal: (data, kind) => (data === '' ? undefined : { owner, kind, data }),
  toolId: (id) => id,
  toolName: unescapeName,
});

export function decodeAnswer(body: Json, target: TargetFacts): TextAnswer {
  const { wire, raw } = openAnswer(body);
  const given = arrayAt(wire, 'content');
  const content = given.map(emittedAsText);
  const blocks = decodeContent(content, upstreamReading(target.sealOwner));
  const stopMatched = stringAt(wire, 'stop_sequence');
  const usage = objectAt(wire, 'usage');
  const toolCall = blocks.some((block) => block.kind === 'tool-call');
  const emitted = raw === 'tool_use' && !toolCall && content.some((block, at) => block !== given[at]);
  return {
    id: stringAt(wire, 'id') ?? '',
    model: stringAt(wire, 'model') ?? '',
    candidates: [
      {
        blocks,
        finish: {
          reason: emitted ? 'stop' : readFinish(raw, { toolCall }),
          raw,
          ...(stopMatched !== undefined && { stopMatched }),
        },
      },
    ],
    usage: usage === undefined ? {} : readUsage(usage),
  };
}

/** The members every answer must have; a body without them is not an answer. */
export function openAnswer(body: Json): { readonly wire: JsonObject; readonly raw: string } {
  if (!isJsonObject(body)) throw broken('The upstream provider sent an answer that is not an object.');
  const fault = faultInside(body);
  if (fault !== undefined) throw new GatewayError(fault);
  if (!isJsonArray(body['content'])) throw broken('The upstream provider sent an answer without content.');
  const raw = stringAt(body, 'stop_reason');
  if (raw === undefined) throw broken('The upstream provider ended its answer without a reason to stop.');
  return { wire: body, raw };
}

/** The arguments of the structured-output tool are the answer's text. */
function emittedAsText(block: Json): Json {
  if (!isJsonObject(block) || block['type'] !== 'tool_use' || block['name'] !== EMIT_TOOL) return block;
  return { type: 'text', text: JSON.stringify(block['input'] ?? {}) };
}
