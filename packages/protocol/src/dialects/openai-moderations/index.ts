/** Moderation in the one format that clients know: passed through but for the model's name. Categories are the host's own. */
import { type Static, Type } from 'typebox';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from '../../canonical/json.ts';
import type { ModerateCall } from '../../canonical/moderation.ts';
import { checkWith, compile, Maybe, malformed } from '../checking.ts';
import type { AnswerContext, Reading } from '../dialect.ts';
import { type ModerateDialect, type ModerateUnderstanding, NO_TEXT_OPTIONS } from '../media-dialects.ts';
import { decodeApiFault } from '../upstream-errors.ts';

/** The format's home needs no name of a model, and most of its callers give none. */
const DEFAULT_MODEL = 'omni-moderation-latest';
/** As many as in a request for embeddings. */
const MAX_INPUTS = 2048;

/** `input` has too many forms for a schema with readable errors. */
export const ModerationsWire = Type.Object({
  model: Maybe(Type.String({ minLength: 1 })),
  input: Type.Unknown(),
});
type ModerationsWire = Static<typeof ModerationsWire>;

const request = compile(ModerationsWire);

type Input = Pick<ModerateCall, 'texts' | 'pictures'> & { readonly results: number };

/** A text, texts, or one input of several parts. */
function readInput({ input }: ModerationsWire): Input {
  if (typeof input === 'string') return { texts: [input], pictures: 0, results: 1 };
  if (!Array.isArray(input) || input.length === 0)
    throw malformed('input', 'must be a text, a list of texts, or a list of parts');
  if (input.length > MAX_INPUTS) throw malformed('input', `must not have more than ${MAX_INPUTS} entries`);
  const texts: string[] = [];
  let pictures = 0;
  for (const [place, part] of input.entries()) {
    if (typeof part !== typeof input[0]) throw malformed(`input[${place}]`, 'must be of the same kind as the first');
    const type = isJsonObject(part) ? stringAt(part, 'type') : undefined;
    const text = typeof part === 'string' ? part : type === 'text' ? stringAt(part, 'text') : undefined;
    if (text !== undefined) texts.push(text);
    else if (type === 'image_url') pictures += 1;
    else throw malformed(`input[${place}]`, 'must be a text, or a part of the type text or image_url');
  }
  return { texts, pictures, results: typeof input[0] === 'string' ? input.length : 1 };
}

function understand(body: JsonObject): ModerateUnderstanding {
  const wire = checkWith(request, body, '');
  const { results, ...input } = readInput(wire);
  const model = wire.model ?? DEFAULT_MODEL;
  return {
    model,
    stream: false,
    responseOptions: { ...NO_TEXT_OPTIONS, moderate: { results } },
    losses: [],
    media: [],
    maxOutputTokens: undefined,
    metadata: undefined,
    call: () => ({ operation: 'moderate', model, ...input, extras: {} }),
    verbatim: (target) => ({ edits: [{ name: 'model', value: JSON.stringify(target.upstreamModel) }], losses: [] }),
  };
}

/** A result that is missing would be read as harmless. */
function readAnswer(body: Json, { model, responseOptions }: AnswerContext): Reading {
  const results = isJsonObject(body) ? arrayAt(body, 'results') : [];
  if (results.length !== responseOptions.moderate?.results || !results.every(isJsonObject))
    throw new GatewayError({
      kind: 'upstream-broken',
      message: 'The upstream provider sent another number of results than it was asked for.',
    });
  return { patch: { kind: 'pass', edits: [{ name: 'model', value: JSON.stringify(model) }] } };
}

export const openaiModerations: ModerateDialect = {
  id: 'openai-moderations',
  operation: 'moderate',
  quirks: (own) => own,
  server: { understand, spelling: {} },
  client: { decodeFault: decodeApiFault, sealRefusals: [] },
  verbatim: { answer: readAnswer },
};
