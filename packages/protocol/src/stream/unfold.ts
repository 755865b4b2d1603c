/** A complete answer → the events it could have arrived as. The inverse of `fold`. */
import type { TextAnswer } from '../canonical/answer.ts';
import type { Block } from '../canonical/content.ts';
import type { BlockNote, Event, OpenBlock } from '../canonical/events.ts';

export function unfold(answer: TextAnswer): Event[] {
  const { id, model, createdAtSeconds } = answer;
  const events: Event[] = [
    { type: 'answer-start', id, model, ...(createdAtSeconds !== undefined && { createdAtSeconds }) },
  ];
  let index = 0;
  for (const [candidate, { blocks }] of answer.candidates.entries())
    for (const block of blocks) unfoldBlock(block, index++, candidate, events);
  for (const [candidate, { extras }] of answer.candidates.entries())
    if (extras !== undefined) events.push({ type: 'answer-note', candidate, extras });
  if (Object.keys(answer.usage).length > 0) events.push({ type: 'usage-update', usage: answer.usage });
  if (answer.promptBlocked !== undefined) events.push({ type: 'prompt-blocked', ...answer.promptBlocked });
  for (const [candidate, { finish }] of answer.candidates.entries())
    events.push({ type: 'answer-end', candidate, finish });
  return events;
}

function unfoldBlock(block: Block, index: number, candidate: number, events: Event[]): void {
  const note = (value: BlockNote): void => void events.push({ type: 'block-note', index, note: value });
  events.push({ type: 'block-start', index, candidate, block: openOf(block) });
  // Before the text, as hosts send them: encoders may need them for its first piece.
  if (block.extras !== undefined) note({ extras: block.extras });
  // Before the arguments, so that formats with a block of its own for the seal can put it before the call.
  if (block.kind === 'tool-call' && block.seal !== undefined)
    events.push({ type: 'block-seal', index, seal: block.seal });
  const text = textOf(block);
  if (text !== '') events.push({ type: 'block-delta', index, text });
  if (block.kind === 'media' && block.source.via === 'inline') note({ bytes: block.source.base64 });
  if (block.kind === 'text') for (const citation of block.citations ?? []) note({ citation });
  if ((block.kind === 'text' || block.kind === 'refusal') && block.logprobs !== undefined)
    note({ logprobs: block.logprobs });
  if (block.kind === 'server-tool' && block.result !== undefined) note({ result: block.result });
  if ('seal' in block && block.kind !== 'redacted' && block.kind !== 'tool-call' && block.seal !== undefined)
    events.push({ type: 'block-seal', index, seal: block.seal });
  events.push({ type: 'block-end', index });
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'text':
    case 'refusal':
    case 'thinking':
      return block.text;
    case 'tool-call':
    case 'server-tool':
      return block.argumentsJson;
    case 'redacted':
    case 'media':
    case 'document':
    case 'search-result':
    case 'tool-result':
    case 'foreign':
      return '';
  }
}

function openOf(block: Block): OpenBlock {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return { kind: block.kind };
    case 'thinking':
      return { kind: 'thinking', form: block.form };
    case 'redacted':
      return { kind: 'redacted', seal: block.seal };
    case 'media': {
      const url = block.source.via === 'url' ? { url: block.source.url } : {};
      return { kind: 'media', media: block.media, mimeType: block.mimeType ?? 'application/octet-stream', ...url };
    }
    case 'tool-call': {
      const minted = block.idMinted === undefined ? {} : { idMinted: block.idMinted };
      return { kind: 'tool-call', id: block.id, ...minted, name: block.name, form: block.form };
    }
    case 'server-tool':
      return { kind: 'server-tool', id: block.id, name: block.name };
    case 'foreign':
      return { kind: 'foreign', dialect: block.dialect, wire: block.wire };
    case 'document':
    case 'search-result':
    case 'tool-result':
      throw new TypeError(`${block.kind} is something callers send, not something models answer`);
  }
}
