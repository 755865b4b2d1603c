/**
 * Unknown → inputs with their settings, from any of three forms: `:embedContent` with one content,
 * `:batchEmbedContents` with a request for each, `:predict` with instances of plain text.
 */
import type { EmbedInput, EmbedText } from '../../canonical/embedding.ts';
import { isJsonArray, type Json, type JsonObject } from '../../canonical/json.ts';
import { malformed, unsupported } from '../checking.ts';
import type { RequestHead } from '../dialect.ts';
import { memberOf, objectOf, readInputSettings, readSettings, type Settings, unknownOf } from './settings.ts';

type Form = 'embedContent' | 'batchEmbedContents' | 'predict';

const MAX_INPUTS = 2048;

export type CheckedEmbed = Settings & {
  readonly form: Form;
  readonly model: string;
  readonly inputs: readonly EmbedInput[];
  readonly extras: JsonObject;
};

/** Upstreams take these once per call, so all requests of a batch must agree. */
const SHARED = [
  ['dimensions', 'outputDimensionality'],
  ['truncate', 'autoTruncate'],
] as const;
const SETTINGS = ['taskType', 'title', 'outputDimensionality', 'autoTruncate'] as const;

export function checkEmbed(body: JsonObject, head: RequestHead | undefined): CheckedEmbed {
  const model = head?.model ?? '';
  switch (head?.form) {
    case 'batchEmbedContents':
      return checkBatch(body, model);
    case 'predict':
      return checkPredict(body, model);
    default:
      return checkSingle(body, model);
  }
}

function checkSingle(body: JsonObject, model: string): CheckedEmbed {
  const nested = memberOf(body, 'embedContentConfig');
  const config = nested === undefined ? {} : objectOf(nested, 'embedContentConfig');
  const settings = { ...body, ...config };
  checkModel(body, model, '');
  return {
    form: 'embedContent',
    model,
    inputs: [{ ...checkContent(body['content'], 'content'), ...readInputSettings(settings, '') }],
    ...readSettings(settings, ''),
    extras: {
      ...unknownOf(body, [...SETTINGS, 'model', 'content', 'embedContentConfig']),
      ...unknownOf(config, SETTINGS),
    },
  };
}

function checkBatch(body: JsonObject, model: string): CheckedEmbed {
  const requests = listOf(body['requests'], 'requests');
  let extras = unknownOf(body, ['requests', 'model']);
  let settings: Settings | undefined;
  const inputs = requests.map((each, position) => {
    const path = `requests[${position}]`;
    const request = objectOf(each, path);
    checkModel(request, model, `${path}.`);
    const own = readSettings(request, `${path}.`);
    settings ??= own;
    for (const [name, member] of SHARED)
      if (own[name] !== settings[name])
        throw unsupported(`${path}.${member}`, 'differs from the other requests of this batch');
    extras = { ...extras, ...unknownOf(request, [...SETTINGS, 'model', 'content']) };
    return { ...checkContent(request['content'], `${path}.content`), ...readInputSettings(request, `${path}.`) };
  });
  return { form: 'batchEmbedContents', model, inputs, ...settings, extras };
}

function checkPredict(body: JsonObject, model: string): CheckedEmbed {
  const given = memberOf(body, 'parameters');
  const parameters = given === undefined ? {} : objectOf(given, 'parameters');
  let extras: JsonObject = {
    ...unknownOf(body, ['instances', 'parameters']),
    ...unknownOf(parameters, ['outputDimensionality', 'autoTruncate']),
  };
  const inputs = listOf(body['instances'], 'instances').map((each, position): EmbedInput => {
    const path = `instances[${position}]`;
    const instance = objectOf(each, path);
    extras = { ...extras, ...unknownOf(instance, ['content', 'taskType', 'title']) };
    return {
      kind: 'text',
      texts: [checkText(instance['content'], `${path}.content`)],
      ...readInputSettings(instance, `${path}.`),
    };
  });
  return { form: 'predict', model, inputs, ...readSettings(parameters, 'parameters.'), extras };
}

function listOf(value: Json | undefined, path: string): readonly Json[] {
  if (!isJsonArray(value)) throw malformed(path, value === undefined ? 'is required' : 'must be a list');
  if (value.length === 0) throw malformed(path, 'must not be empty');
  if (value.length > MAX_INPUTS) throw malformed(path, `holds more than ${MAX_INPUTS} inputs`);
  return value;
}

/** Models that support several parts read them as one text; parts other than text are not supported. */
function checkContent(value: Json | undefined, path: string): EmbedText {
  const parts = listOf(objectOf(value, path)['parts'], `${path}.parts`);
  const texts = parts.map((each, position) => {
    const part = objectOf(each, `${path}.parts[${position}]`);
    if (part['text'] === undefined) throw unsupported(`${path}.parts[${position}]`, 'holds no text');
    return checkText(part['text'], `${path}.parts[${position}].text`);
  });
  return { kind: 'text', texts };
}

function checkText(value: Json | undefined, path: string): string {
  if (value === undefined || value === null) throw malformed(path, 'is required');
  if (typeof value !== 'string') throw malformed(path, 'must be a text');
  if (value === '') throw malformed(path, 'must not be empty');
  return value;
}

/** The path has named the model already; a body that names another one is refused. */
function checkModel(request: JsonObject, model: string, path: string): void {
  const named = request['model'] ?? undefined;
  if (named === undefined) return;
  if (typeof named !== 'string' || named.replace(/^models\//, '') !== model)
    throw malformed(`${path}model`, 'is not the model the path names');
}
