// A script as one message object.
import { printRaw } from '../../json-raw.ts';
import { blocksOf } from '../../scenarios/blocks.ts';
import type { ShapedScript } from '../../scenarios/script.ts';
import { contentOf, type MessagesRenderContext, stopFields } from './render-blocks.ts';
import { renderUsage } from './render-usage.ts';

export function renderPlain(script: ShapedScript, context: MessagesRenderContext): string {
  return printRaw({
    id: context.id,
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: blocksOf(script.pieces).flatMap((block, at) => contentOf(block, at, script, context)),
    ...stopFields(script, context),
    usage: renderUsage(script, script.usage.completion),
  });
}
