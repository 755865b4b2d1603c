/**
 * Blocks of an answer → the wire, for a caller. Opaque state of owners other than the home vendor is sent in envelopes.
 */
import type { Block, Citation } from '../../canonical/content.ts';
import type { Extras } from '../../canonical/dialect-id.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { PathLosses } from '../../canonical/loss.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { argumentsObject } from '../../passes/exact-json.ts';
import { SafeIds } from '../../passes/safe-names.ts';
import { nameOfCall } from '../../passes/sealed-call.ts';
import type { AnswerContext, Sealing } from '../dialect.ts';
import { writeCitation } from './citations.ts';
import { mapEncrypted } from './decode-blocks.ts';
import { ownerOfData, sealText, unsignedText } from './seals.ts';

const ID = 'anthropic-messages';
const MAX_TOOL_ID = 64;

/** State shared by all blocks of one answer, complete or streamed. */
export class AnswerWriter {
  readonly losses = new PathLosses();
  readonly sealing: Sealing | undefined;
  readonly #ids = new SafeIds(MAX_TOOL_ID);
  readonly #oneToolCall: boolean;
  #toolCalls = 0;

  constructor({ sealing, responseOptions }: AnswerContext) {
    this.sealing = sealing;
    this.#oneToolCall = responseOptions.oneToolCall === true;
  }

  /** Callers that allowed one tool call get at most one, even if the upstream returned more. */
  takesToolCall(): boolean {
    if (this.#oneToolCall && this.#toolCalls > 0) {
      this.losses.add('content.tool_use');
      return false;
    }
    this.#toolCalls++;
    return true;
  }

  get sawToolCall(): boolean {
    return this.#toolCalls > 0;
  }

  toolId(id: string): string {
    return this.#ids.of(id);
  }

  signature(seal: Sealed | undefined): string {
    if (seal === undefined) return unsignedText(this.sealing);
    const text = sealText(seal, this.sealing);
    if (text === undefined) this.losses.add('content.signature', 'foreign-seal');
    return text ?? '';
  }

  /** State that its block has no field for is a block of its own. */
  redacted(seal: Sealed): JsonObject[] {
    const data = sealText(seal, this.sealing);
    if (data !== undefined) return [{ type: 'redacted_thinking', data }];
    this.losses.add('content.redacted_thinking', 'foreign-seal');
    return [];
  }

  /** State of a call stands before it, where clients that put calls last leave it, and names it. */
  sealOfCall(seal: Sealed, wireId: string, input?: JsonObject): JsonObject[] {
    return this.redacted({ ...seal, call: nameOfCall(wireId, input) });
  }

  citation(citation: Citation): JsonObject {
    const seal = citation.kind === 'web' ? citation.seal : undefined;
    const written = writeCitation(citation, seal === undefined ? unsignedText(this.sealing) : this.signature(seal));
    // Answers say whether a document was a stored file; in requests the member is refused.
    return 'document_index' in written ? { ...written, file_id: null } : written;
  }

  serverResult(callId: string, name: string, content: Json, extras: Extras | undefined): JsonObject {
    const own = extras?.[ID];
    const sealedBy = objectAt(own, 'sealedBy');
    const shown =
      sealedBy === undefined
        ? content
        : mapEncrypted(content, (data) => this.signature({ owner: ownerOfData(sealedBy), kind: 'cite', data }));
    return { type: stringAt(own, 'resultType') ?? `${name}_tool_result`, tool_use_id: callId, content: shown };
  }

  block(block: Block): JsonObject[] {
    switch (block.kind) {
      case 'text': {
        const citations = (block.citations ?? []).map((citation) => this.citation(citation));
        // A text has no field for a signature, and a block of opaque state after it would be the last of the answer,
        // where clients look for the text. Its maker does not need it back, and callers did not ask for it: no loss.
        if (block.seal !== undefined && block.text === '') return [];
        return [{ type: 'text', text: block.text, ...(citations.length > 0 && { citations }) }];
      }
      case 'refusal':
        return [{ type: 'text', text: block.text }];
      case 'thinking':
        return [{ type: 'thinking', thinking: block.text, signature: this.signature(block.seal) }];
      case 'redacted':
        return this.redacted(block.seal);
      case 'tool-call': {
        if (!this.takesToolCall()) return [];
        const broken = () => this.losses.add('content.tool_use.input', 'approximated');
        const input =
          block.form === 'custom' ? { input: block.argumentsJson } : argumentsObject(block.argumentsJson, broken);
        const id = this.toolId(block.id);
        const call = { type: 'tool_use', id, name: block.name, input };
        return [...(block.seal === undefined ? [] : this.sealOfCall(block.seal, id, input)), call];
      }
      case 'server-tool': {
        if (!isOwnServerTool(block.id)) break;
        const { id, name, result } = block;
        const use = { type: 'server_tool_use', id, name, input: argumentsObject(block.argumentsJson) };
        return result === undefined ? [use] : [use, this.serverResult(id, name, result.content, block.extras)];
      }
      case 'foreign':
        if (block.dialect !== ID || !isJsonObject(block.wire)) break;
        return [block.wire];
      case 'media':
      case 'document':
      case 'search-result':
      case 'tool-result':
        break;
    }
    this.losses.add(`content.${block.kind}`);
    return [];
  }
}

/** Server tools of other dialects have no block here. */
export const isOwnServerTool = (id: string): boolean => id.startsWith('srvtoolu_');
