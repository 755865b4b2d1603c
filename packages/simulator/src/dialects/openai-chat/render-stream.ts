// A script as chat.completion.chunk frames, ended by `[DONE]`.
import type { Piece, ShapedScript } from '../../scenarios/script.ts';
import { countUsage } from '../../scenarios/shape.ts';
import type { StreamFrame } from '../../wire.ts';
import { annotationFields, imagePart } from './render-annotations.ts';
import { CallFragments } from './render-calls.ts';
import {
  type ChatRenderOptions,
  finishWords,
  type Identity,
  printJson,
  reasoningFields,
  tokenLogprob,
} from './render-shared.ts';
import { renderUsage } from './render-usage.ts';

const DONE: StreamFrame = { kind: 'done', data: '[DONE]', tokens: 0 };

const OBFUSCATION_LENGTH = 16;

export function* renderFrames(
  script: ShapedScript,
  identity: Identity,
  options: ChatRenderOptions,
): Generator<StreamFrame> {
  const chunk = chunkPrinter(script, identity, options);
  const indexes = Array.from({ length: options.choices }, (_, index) => index);
  const { topLogprobs } = options;
  const startsWithCall = script.pieces[0]?.kind === 'call-start';
  for (const index of indexes) {
    const delta = { role: 'assistant', content: startsWithCall ? null : '', refusal: null };
    yield chunk('open', { index, delta, produced: 0 });
  }
  const calls = new CallFragments(script.manner?.calls ?? 'standard', script.pieces);
  let offset = 0;
  for (const [at, piece] of script.pieces.entries()) {
    const deltas = renderDeltas(piece, script, calls, offset);
    if (piece.kind === 'text') offset += piece.text.length;
    const logprobs = topLogprobs !== undefined &&
      piece.kind === 'text' && { logprobs: { content: [tokenLogprob(piece, topLogprobs)], refusal: null } };
    for (const index of indexes) {
      for (const [part, delta] of deltas.entries()) {
        const frame = chunk('piece', { index, delta, produced: at + 1, ...logprobs });
        // A piece spread over several chunks is still one token.
        yield { ...frame, tokens: part === 0 ? calls.tokensOf(piece) : 0 };
      }
    }
  }
  const finish_reason = finishWords[script.finish];
  for (const index of indexes) {
    yield chunk('finish', { index, delta: {}, produced: script.pieces.length, finish_reason });
  }
  const manner = script.manner?.usage ?? 'standard';
  const isUnasked = manner === 'finish-and-alone' || manner === 'negative' || manner === 'odd';
  if (isUnasked || (manner === 'standard' && options.includeUsage)) {
    const usage = renderUsage(script.usage, options.choices, manner);
    yield { kind: 'usage', data: printJson({ ...chunkHead(identity), choices: [], usage }), tokens: 0 };
  }
  yield DONE;
}

function renderDeltas(piece: Piece, script: ShapedScript, calls: CallFragments, offset: number): readonly object[] {
  switch (piece.kind) {
    case 'text':
      if (piece.source === undefined) return [{ content: piece.text }];
      return [{ content: piece.text, ...annotationFields(script.pieces, offset + piece.text.length) }];
    case 'search':
    case 'sealed-reasoning':
      return [{ content: '' }];
    case 'image':
      return [{ content: '', images: [imagePart(piece)] }];
    case 'refusal':
      return [{ refusal: piece.text }];
    case 'reasoning':
      return [reasoningFields(piece.text, script.manner)];
    case 'call-start':
    case 'call-arguments':
      return calls.render(piece).map((fragment) => ({ tool_calls: [fragment] }));
  }
}

interface ChunkChoice {
  readonly index: number;
  readonly delta: object;
  readonly produced: number;
  readonly logprobs?: object;
  readonly finish_reason?: string;
}

function chunkHead({ id, createdS, model }: Identity): object {
  return {
    id,
    object: 'chat.completion.chunk',
    created: createdS,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_simulator',
  };
}

function chunkPrinter(script: ShapedScript, identity: Identity, options: ChatRenderOptions) {
  const { pieces, usage: counted } = script;
  const manner = script.manner?.usage ?? 'standard';
  const finalUsage = renderUsage(counted, options.choices, manner);
  return (kind: 'open' | 'piece' | 'finish', choice: ChunkChoice): StreamFrame => {
    const { index, delta, produced, logprobs = null, finish_reason = null } = choice;
    const isFinish = kind === 'finish';
    const data = printJson({
      ...chunkHead(identity),
      choices: [
        { index, delta, logprobs, finish_reason, ...(isFinish && manner === 'in-choice' && { usage: finalUsage }) },
      ],
      ...(manner === 'standard' && options.includeUsage && { usage: null }),
      ...(manner === 'every-chunk' && {
        usage: isFinish
          ? finalUsage
          : renderUsage(countUsage(pieces.slice(0, produced), counted.prompt, counted), options.choices),
      }),
      ...(isFinish && manner === 'finish-and-alone' && { usage: finalUsage }),
      ...(isFinish && manner === 'x-groq' && { x_groq: { id: `req_${identity.id}`, usage: finalUsage } }),
      ...(options.includeObfuscation && { obfuscation: 'x'.repeat(OBFUSCATION_LENGTH) }),
    });
    return { kind, data, tokens: 0 };
  };
}
