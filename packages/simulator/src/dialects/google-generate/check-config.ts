// Values of the generation config, thinking by model, safety settings and the cached prompt.
import { asList, asNumber, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import { firstOf } from '../judgement.ts';
import { checkSchema, declarationsOf } from './check-tools.ts';
import type { GenerateModelFamily } from './models.ts';
import { type GenerateRefusal, invalid, violation } from './refusal.ts';

interface Range {
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly isOpen?: boolean;
}

const RANGES: readonly Range[] = [
  { name: 'temperature', minimum: 0, maximum: 2 },
  { name: 'topP', minimum: 0, maximum: 1 },
  { name: 'topK', minimum: 1, maximum: 1000 },
  { name: 'candidateCount', minimum: 1, maximum: 8 },
  { name: 'presencePenalty', minimum: -2, maximum: 2, isOpen: true },
  { name: 'frequencyPenalty', minimum: -2, maximum: 2, isOpen: true },
  { name: 'logprobs', minimum: 0, maximum: 20 },
];
const MAX_STOP_SEQUENCES = 5;
const MIME_TYPES: readonly unknown[] = [undefined, 'text/plain', 'application/json', 'text/x.enum'];

export function checkConfig(body: JsonRecord, family: GenerateModelFamily): GenerateRefusal | undefined {
  const config = asRecord(body['generationConfig']);
  const ranges = [...RANGES, { name: 'maxOutputTokens', minimum: 1, maximum: family.maxOutputTokens }];
  return firstOf(
    ranges.map((range) => () => checkRange(config, range)),
    () => checkOutput(config, body, family),
    () => checkThinking(asRecord(config['thinkingConfig']), family),
    () => checkSafety(body),
    () => checkCached(body),
  );
}

function checkRange(
  config: JsonRecord,
  { name, minimum, maximum, isOpen = false }: Range,
): GenerateRefusal | undefined {
  const value = asNumber(config[name]);
  if (value === undefined) return undefined;
  if (value >= minimum && (isOpen ? value < maximum : value <= maximum)) return undefined;
  const end = isOpen ? 'exclusive' : 'inclusive';
  return invalid(
    `Unable to submit request because it has a ${name} value of ${value} but the supported range is from ${minimum} (inclusive) to ${maximum} (${end}). Update the value and try again.`,
  );
}

function checkOutput(config: JsonRecord, body: JsonRecord, family: GenerateModelFamily): GenerateRefusal | undefined {
  const mimeType = config['responseMimeType'];
  const hasSchema = config['responseSchema'] !== undefined || config['responseJsonSchema'] !== undefined;
  if (asList(config['stopSequences']).length > MAX_STOP_SEQUENCES) {
    return violation(['generationConfig', 'stopSequences'], `at most ${MAX_STOP_SEQUENCES} stop sequences are allowed`);
  }
  if (!MIME_TYPES.includes(mimeType)) {
    return violation(
      ['generationConfig', 'responseMimeType'],
      'allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.',
    );
  }
  if (hasSchema && mimeType !== 'application/json' && mimeType !== 'text/x.enum') {
    return violation(['generationConfig', 'responseSchema'], 'only allowed with response_mime_type application/json.');
  }
  if (config['responseSchema'] !== undefined && config['responseJsonSchema'] !== undefined) {
    return violation(['generationConfig'], 'response_schema and response_json_schema are mutually exclusive.');
  }
  if (mimeType === 'application/json' && declarationsOf(body).length > 0 && !family.mixesTools) {
    return invalid("Function calling with a response mime type: 'application/json' is unsupported");
  }
  if (config['logprobs'] !== undefined && config['responseLogprobs'] !== true) {
    return invalid('Unable to submit request because logprobs is set but response_logprobs is not true.');
  }
  if (asList(config['responseModalities']).includes('IMAGE') && !family.makesImages) {
    return invalid('The requested combination of response modalities is not supported by the model. Accepted: TEXT.');
  }
  return checkSchema(config['responseSchema'], ['generationConfig', 'responseSchema'], 0);
}

const DYNAMIC = -1;

function checkThinking(given: JsonRecord, { thinking }: GenerateModelFamily): GenerateRefusal | undefined {
  const budget = asNumber(given['thinkingBudget']);
  const level = asText(given['thinkingLevel']).toUpperCase();
  if (budget === undefined && level === '') {
    return given['includeThoughts'] === true && thinking.kind === 'none' ? noThinking() : undefined;
  }
  if (budget !== undefined && level !== '') {
    return invalid('You can only set only one of thinking budget and thinking level.');
  }
  if (thinking.kind === 'none') return budget === 0 ? undefined : noThinking();
  if (level !== '') {
    if (thinking.kind === 'budget') return invalid('Thinking level is not supported for this model.');
    return thinking.levels.includes(level)
      ? undefined
      : invalid(`Thinking level ${level} is not supported for this model.`);
  }
  if (budget === DYNAMIC) return undefined;
  if (budget === 0) {
    return thinking.canBeOff ? undefined : invalid('Budget 0 is invalid. This model only works in thinking mode.');
  }
  const minimum = thinking.kind === 'budget' ? thinking.minimum : 1;
  if ((budget ?? 0) >= minimum && (budget ?? 0) <= thinking.maximum) return undefined;
  return invalid(
    `The thinking budget ${budget} is invalid. Please choose a value between ${minimum} and ${thinking.maximum}.`,
  );
}

function noThinking(): GenerateRefusal {
  return invalid('Thinking is not supported for this model.');
}

function checkSafety(body: JsonRecord): GenerateRefusal | undefined {
  const categories = asList(body['safetySettings']).map((setting) => asText(asRecord(setting)['category']));
  const at = categories.findIndex((category, index) => categories.indexOf(category) !== index);
  return at < 0
    ? undefined
    : violation(['safetySettings', at], `element predicate failed: duplicate safety category ${categories[at]}`);
}

function checkCached(body: JsonRecord): GenerateRefusal | undefined {
  if (body['cachedContent'] === undefined) return undefined;
  if (['systemInstruction', 'tools', 'toolConfig'].some((name) => body[name] !== undefined)) {
    return invalid(
      'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
    );
  }
  return { code: 403, status: 'PERMISSION_DENIED', message: 'CachedContent not found (or permission denied)' };
}
