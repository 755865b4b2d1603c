// Turns and their parts: roles, exactly one kind of data in each part, equal numbers of calls and responses.
import { asList, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import { firstOf, isBase64 } from '../judgement.ts';
import type { Path } from '../shape-check.ts';
import { type GenerateRefusal, invalid, snake, violation } from './refusal.ts';

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
  return asList(body['contents'])
    .map(asRecord)
    .map(({ role, parts }) => ({ role: asText(role), parts: asList(parts).map(asRecord) }));
}

/** Clients keep a streamed turn as one content per chunk; the vendor reads consecutive model contents as one turn. */
export function turnsOf(contents: readonly Content[]): readonly Content[] {
  const turns: Content[] = [];
  for (const content of contents) {
    const last = turns.at(-1);
    // The responses to one turn's calls may come in one content each.
    const isAnswering = [last, content].every((each) => partsWith(each, 'functionResponse').length > 0);
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
  if (contents.length === 0) {
    return isVertex
      ? invalid('Unable to submit request because at least one contents field is required.')
      : violation(['contents'], 'contents is not specified');
  }
  return firstOf(
    contents.map((content, at) => () => checkContent(content, at, isVertex)),
    () => checkSystem(asRecord(body['systemInstruction'])),
    turns.map((turn, at) => () => checkCalls(turn, turns[at - 1], turns[at + 1])),
    () =>
      contents.length === 1 && contents[0]?.role === 'model'
        ? invalid('Please ensure that single turn requests end with a user role or the role field is empty.')
        : undefined,
  );
}

function checkContent({ role, parts }: Content, at: number, isVertex: boolean): GenerateRefusal | undefined {
  const isKnown = role === 'user' || role === 'model' || (role === '' && !isVertex);
  if (!isKnown) return invalid('Please use a valid role: user, model.');
  if (parts.length === 0) {
    return isVertex
      ? invalid(
          'Unable to submit request because it must include at least one parts field, which describes the prompt input.',
        )
      : violation(['contents', at, 'parts'], 'contents.parts must not be empty.');
  }
  return firstOf(
    parts.map((part, place) => () => checkPart(part, ['contents', at, 'parts', place], isVertex && role === 'user')),
  );
}

function checkPart(part: JsonRecord, path: Path, refusesEmpty: boolean): GenerateRefusal | undefined {
  const [first, second] = DATA_FIELDS.filter((field) => part[field] !== undefined);
  // A part may hold only a signature, as at the end of a model turn, or only video settings.
  if (first === undefined && (part['thoughtSignature'] !== undefined || part['videoMetadata'] !== undefined))
    return undefined;
  if (first === undefined) {
    return violation([...path, 'data'], "required oneof field 'data' must have one initialized field");
  }
  if (second !== undefined) {
    const field = violation(path, '').message.split(': ')[0]?.replace('* GenerateContentRequest.', '') ?? '';
    return invalid(
      `Invalid value at '${field}' (oneof), oneof field 'data' is already set. Cannot set '${snake(second)}'`,
    );
  }
  return firstOf(
    () => checkText(part, refusesEmpty),
    () => checkInline(part, path),
    () => checkNames(part, path),
  );
}

function checkText(part: JsonRecord, refusesEmpty: boolean): GenerateRefusal | undefined {
  if (!refusesEmpty || part['text'] !== '' || part['thoughtSignature'] !== undefined) return undefined;
  return invalid(
    'Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.',
  );
}

function checkInline(part: JsonRecord, path: Path): GenerateRefusal | undefined {
  if (part['inlineData'] === undefined) return undefined;
  const { mimeType, data } = asRecord(part['inlineData']);
  if (!/^[a-z]+\/[\w.+-]+$/u.test(asText(mimeType))) {
    return invalid(
      `Unable to submit request because it has a mimeType parameter with value ${asText(mimeType)}, which is not supported.`,
    );
  }
  if (isBase64(asText(data))) return undefined;
  return violation([...path, 'inlineData', 'data'], 'Base64 decoding failed');
}

function checkNames(part: JsonRecord, path: Path): GenerateRefusal | undefined {
  for (const field of ['functionCall', 'functionResponse'] as const) {
    if (part[field] === undefined) continue;
    if (asText(asRecord(part[field])['name']) === '')
      return violation([...path, field, 'name'], 'Name cannot be empty.');
  }
  return undefined;
}

function checkSystem(system: JsonRecord): GenerateRefusal | undefined {
  const other = asList(system['parts']).some((part) => asRecord(part)['text'] === undefined);
  return other ? invalid('System instruction only supports text parts.') : undefined;
}

function checkCalls(
  content: Content,
  before: Content | undefined,
  after: Content | undefined,
): GenerateRefusal | undefined {
  const calls = content.role === 'model' ? partsWith(content, 'functionCall').length : 0;
  const responses = content.role === 'model' ? 0 : partsWith(content, 'functionResponse').length;
  if (responses > 0 && partsWith(before, 'functionCall').length === 0) {
    return invalid('Please ensure that function response turn comes immediately after a function call turn.');
  }
  if (calls === 0) return undefined;
  if (before === undefined) {
    return invalid(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    );
  }
  if (partsWith(after, 'functionResponse').length === calls) return undefined;
  return invalid(
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  );
}
