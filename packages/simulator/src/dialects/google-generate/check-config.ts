// Values of the generation config, thinking by model, safety settings and the cached prompt.
import { asList, asNumber, asRecord, asText, type JsonRecord, textsOf } from '../../json-value.ts';
import { firstOf, repeatAt } from '../judgement.ts';
import { checkSchema, declarationsOf } from './check-tools.ts';
import type { GenerateModelFamily } from './models.ts';
import { type GenerateRefusal, invalid, violation } from './refusal.ts';

const RANGES: readonly (readonly [name: string, minimum: number, maximum: number])[] = [
  ['temperature', 0, 2],
  ['topP', 0, 1],
  ['topK', 1, 1000],
  ['candidateCount', 1, 8],
  ['presencePenalty', -2, 2],
  ['frequencyPenalty', -2, 2],
  ['logprobs', 0, 20],
];
/** Their maximum itself is not allowed. */
const OPEN = ['presencePenalty', 'frequencyPenalty'];
const MAX_STOP_SEQUENCES = 5;
const MIME_TYPES: readonly unknown[] = [undefined, 'text/plain', 'application/json', 'text/x.enum'];

export function checkConfig(body: JsonRecord, family: GenerateModelFamily): GenerateRefusal | undefined {
  const config = asRecord(body['generationConfig']);
  const refusal =
    firstOf([...RANGES, ['maxOutputTokens', 1, family.maxOutputTokens] as const], ([name, minimum, maximum]) => {
      const value = asNumber(config[name]) ?? minimum;
      const isOpen = OPEN.includes(name);
      if (value >= minimum && (isOpen ? value < maximum : value <= maximum)) return undefined;
      return invalid(
        `Unable to submit request because it has a ${name} value of ${value} but the supported range is from ${minimum} (inclusive) to ${maximum} (${isOpen ? 'exclusive' : 'inclusive'}). Update the value and try again.`,
      );
    }) ??
    checkOutput(config, body, family) ??
    checkThinking(asRecord(config['thinkingConfig']), family);
  if (refusal !== undefined) return refusal;
  const categories = textsOf(body['safetySettings'], 'category');
  const at = repeatAt(categories);
  if (at >= 0)
    return violation(['safetySettings', at], `element predicate failed: duplicate safety category ${categories[at]}`);
  if (body['cachedContent'] === undefined) return undefined;
  if (['systemInstruction', 'tools', 'toolConfig'].some((name) => body[name] !== undefined))
    return invalid(
      'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
    );
  return { code: 403, status: 'PERMISSION_DENIED', message: 'CachedContent not found (or permission denied)' };
}

function checkOutput(config: JsonRecord, body: JsonRecord, family: GenerateModelFamily): GenerateRefusal | undefined {
  const { responseMimeType: mimeType, responseSchema, responseJsonSchema } = config;
  const path = ['generationConfig'];
  if (asList(config['stopSequences']).length > MAX_STOP_SEQUENCES)
    return violation([...path, 'stopSequences'], `at most ${MAX_STOP_SEQUENCES} stop sequences are allowed`);
  if (!MIME_TYPES.includes(mimeType))
    return violation(
      [...path, 'responseMimeType'],
      'allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.',
    );
  const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined;
  if (hasSchema && mimeType !== 'application/json' && mimeType !== 'text/x.enum')
    return violation([...path, 'responseSchema'], 'only allowed with response_mime_type application/json.');
  if (responseSchema !== undefined && responseJsonSchema !== undefined)
    return violation(path, 'response_schema and response_json_schema are mutually exclusive.');
  if (mimeType === 'application/json' && declarationsOf(body).length > 0 && !family.mixesTools)
    return invalid("Function calling with a response mime type: 'application/json' is unsupported");
  if (config['logprobs'] !== undefined && config['responseLogprobs'] !== true)
    return invalid('Unable to submit request because logprobs is set but response_logprobs is not true.');
  if (asList(config['responseModalities']).includes('IMAGE') && !family.makesImages)
    return invalid('The requested combination of response modalities is not supported by the model. Accepted: TEXT.');
  return checkSchema(responseSchema, [...path, 'responseSchema'], 0);
}

const DYNAMIC = -1;

function checkThinking(given: JsonRecord, { thinking }: GenerateModelFamily): GenerateRefusal | undefined {
  const budget = asNumber(given['thinkingBudget']);
  const level = asText(given['thinkingLevel']).toUpperCase();
  if (budget !== undefined && level !== '')
    return invalid('You can only set only one of thinking budget and thinking level.');
  if (thinking.kind === 'none') {
    const isAsked = level !== '' || (budget ?? 0) !== 0 || (budget === undefined && given['includeThoughts'] === true);
    return isAsked ? invalid('Thinking is not supported for this model.') : undefined;
  }
  if (level !== '') {
    if (thinking.kind === 'budget') return invalid('Thinking level is not supported for this model.');
    if (thinking.levels.includes(level)) return undefined;
    return invalid(`Thinking level ${level} is not supported for this model.`);
  }
  if (budget === undefined || budget === DYNAMIC) return undefined;
  if (budget === 0)
    return thinking.canBeOff ? undefined : invalid('Budget 0 is invalid. This model only works in thinking mode.');
  const minimum = thinking.kind === 'budget' ? thinking.minimum : 1;
  if (budget >= minimum && budget <= thinking.maximum) return undefined;
  return invalid(
    `The thinking budget ${budget} is invalid. Please choose a value between ${minimum} and ${thinking.maximum}.`,
  );
}
