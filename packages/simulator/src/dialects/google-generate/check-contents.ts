// Turns and their parts: roles, exactly one kind of data in each part, equal numbers of calls and responses.
import { asRecord, asRecords, asText, type JsonRecord } from '../../json-value.ts';
import { firstOf, isBase64 } from '../judgement.ts';
import type { Path } from '../shape-check.ts';
import { fieldPath, type GenerateRefusal, invalid, snake, violation } from './refusal.ts';

const DATA_FIELDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;

export interface Content {
  readonly role: string;
  readonly parts: readonly JsonRecord[];
}

export function contentsOf(body: JsonRecord): readonly Content[] {
  return asRecords(body['contents']).map(({ role, parts }) => ({ role: asText(role), parts: asRecords(parts) }));
}

/** Clients keep a streamed turn as one content per chunk; the vendor reads consecutive model contents as one turn. */
export function turnsOf(contents: readonly Content[]): readonly Content[] {
  const turns: Content[] = [];
  for (const content of contents) {
    const last = turns.at(-1);
    // The responses to one turn's calls may come in one content each.
    const isAnswering =
      partsWith(last, 'functionResponse').length > 0 && partsWith(content, 'functionResponse').length > 0;
    if (last !== undefined && ((last.role === 'model' && content.role === 'model') || isAnswering)) {
      turns[turns.length - 1] = { role: last.role, parts: [...last.parts, ...content.parts] };
    } else {
      turns.push(content);
    }
  }
  return turns;
}

export function partsWith(content: Content | undefined, field: string): readonly JsonRecord[] {
  return content?.parts.filter((part) => part[field] !== undefined) ?? [];
}

export function checkContents(body: JsonRecord, isVertex: boolean): GenerateRefusal | undefined {
  const contents = contentsOf(body);
  const turns = turnsOf(contents);
  if (contents.length === 0)
    return isVertex
      ? invalid('Unable to submit request because at least one contents field is required.')
      : violation(['contents'], 'contents is not specified');
  const refusal = firstOf(contents, ({ role, parts }, at) => {
    const path = ['contents', at, 'parts'];
    const isKnown = role === 'user' || role === 'model' || (role === '' && !isVertex);
    if (!isKnown) return invalid('Please use a valid role: user, model.');
    if (parts.length === 0)
      return isVertex
        ? invalid(
            'Unable to submit request because it must include at least one parts field, which describes the prompt input.',
          )
        : violation(path, 'contents.parts must not be empty.');
    return firstOf(parts, (part, place) => checkPart(part, [...path, place], isVertex && role === 'user'));
  });
  if (refusal !== undefined) return refusal;
  if (asRecords(asRecord(body['systemInstruction'])['parts']).some(({ text }) => text === undefined))
    return invalid('System instruction only supports text parts.');
  const unpaired = firstOf(turns, (turn, at) => checkCalls(turn, turns[at - 1], turns[at + 1]));
  if (unpaired !== undefined || contents.length > 1 || contents[0]?.role !== 'model') return unpaired;
  return invalid('Please ensure that single turn requests end with a user role or the role field is empty.');
}

function checkPart(part: JsonRecord, path: Path, refusesEmpty: boolean): GenerateRefusal | undefined {
  const [first, second] = DATA_FIELDS.filter((field) => part[field] !== undefined);
  // A part may hold only a signature, as at the end of a model turn, or only video settings.
  if (first === undefined && (part['thoughtSignature'] !== undefined || part['videoMetadata'] !== undefined))
    return undefined;
  if (first === undefined)
    return violation([...path, 'data'], "required oneof field 'data' must have one initialized field");
  if (second !== undefined)
    return invalid(
      `Invalid value at '${fieldPath(path)}' (oneof), oneof field 'data' is already set. Cannot set '${snake(second)}'`,
    );
  if (refusesEmpty && part['text'] === '' && part['thoughtSignature'] === undefined)
    return invalid(
      'Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.',
    );
  if (first === 'inlineData') {
    const { mimeType, data } = asRecord(part['inlineData']);
    if (!/^[a-z]+\/[\w.+-]+$/u.test(asText(mimeType)))
      return invalid(
        `Unable to submit request because it has a mimeType parameter with value ${asText(mimeType)}, which is not supported.`,
      );
    if (!isBase64(asText(data))) return violation([...path, 'inlineData', 'data'], 'Base64 decoding failed');
  }
  const isNamed = first === 'functionCall' || first === 'functionResponse';
  if (!isNamed || asText(asRecord(part[first])['name']) !== '') return undefined;
  return violation([...path, first, 'name'], 'Name cannot be empty.');
}

function checkCalls(
  content: Content,
  before: Content | undefined,
  after: Content | undefined,
): GenerateRefusal | undefined {
  const calls = content.role === 'model' ? partsWith(content, 'functionCall').length : 0;
  const responses = content.role === 'model' ? 0 : partsWith(content, 'functionResponse').length;
  if (responses > 0 && partsWith(before, 'functionCall').length === 0)
    return invalid('Please ensure that function response turn comes immediately after a function call turn.');
  if (calls > 0 && before === undefined)
    return invalid(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    );
  if (calls === 0 || partsWith(after, 'functionResponse').length === calls) return undefined;
  return invalid(
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  );
}
