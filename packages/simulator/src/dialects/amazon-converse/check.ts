// Validates one request: its shape, the conversation, what the model's family refuses, and its seals.
import { asList, asNumber, asRecord, asRecords, asText, type JsonRecord } from '../../json-value.ts';
import { isSealValid, openSeal, type SealIssuer } from '../../seals.ts';
import { firstOf, repeatAt } from '../judgement.ts';
import type { ConverseFamily } from './models.ts';
import { converseShapes } from './shapes.ts';

const MAX_CACHE_POINTS = 4;

export const blocksOf = (message: JsonRecord): readonly JsonRecord[] => asRecords(message['content']);
const has = (block: JsonRecord, name: string): boolean => block[name] !== undefined;
const all = (blocks: readonly JsonRecord[], name: string): readonly JsonRecord[] =>
  blocks.filter((block) => has(block, name)).map((block) => asRecord(block[name]));

/** The sentence of a refusal; all of them are validation errors. */
export function checkBody(body: JsonRecord, family: ConverseFamily, issuer: SealIssuer): string | undefined {
  const problem = converseShapes.first('Create', body);
  if (problem !== undefined)
    return `1 validation error detected: Value at '${problem.path.join('.')}' failed to satisfy constraint: ${problem.kind} ${problem.expected}`;
  return (
    checkMessages(asRecords(body['messages'])) ??
    checkTools(body, family) ??
    checkCaching(body, family) ??
    checkFamily(body, family) ??
    checkReasoning(body, family, issuer)
  );
}

function checkMessages(messages: readonly JsonRecord[]): string | undefined {
  if (messages[0]?.['role'] !== 'user')
    return 'A conversation must start with a user message. Try again with a conversation that starts with a user message.';
  const names = messages.flatMap((message) => all(blocksOf(message), 'document')).map(({ name }) => name);
  if (repeatAt(names) >= 0) return 'Duplicate document file names are not allowed.';
  return firstOf(messages, (message, at) => {
    const blocks = blocksOf(message);
    const place = `The content block at messages.${at}`;
    if (message['role'] === messages[at - 1]?.['role'])
      return 'A conversation must alternate between user and assistant roles.';
    if (blocks.some((block) => Object.keys(block).length !== 1)) return `${place} must have exactly one member.`;
    if (blocks.some(({ text }) => typeof text === 'string' && text.trim() === ''))
      return 'The text field in the ContentBlock object is blank. Add text to the text field, and try again.';
    if (blocks.some((block) => has(block, 'document')) && !blocks.some((block) => has(block, 'text')))
      return 'A text block must be included in a message with a document.';
    const before = at === 0 ? [] : blocksOf(messages[at - 1] ?? {});
    const calls = all(before, 'toolUse').map(({ toolUseId }) => toolUseId);
    const results = all(blocks, 'toolResult').map(({ toolUseId }) => toolUseId);
    if (results.some((id) => !calls.includes(id)))
      return `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`;
    if (calls.some((id) => !results.includes(id)))
      return `Expected toolResult blocks at messages.${at}.content for the following Ids: ${calls.join(', ')}`;
    return repeatAt(results) >= 0 ? `${place} repeats the id of a result.` : undefined;
  });
}

function checkTools(body: JsonRecord, family: ConverseFamily): string | undefined {
  const blocks = asRecords(body['messages']).flatMap(blocksOf);
  const config = body['toolConfig'];
  const calls = all(blocks, 'toolUse');
  if (config === undefined)
    return calls.length > 0
      ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
      : undefined;
  if (family.noTools) return "This model doesn't support tool use.";
  const [choice] = Object.keys(asRecord(asRecord(config)['toolChoice']));
  if (choice !== undefined && !family.choices.includes(choice))
    return `This model doesn't support the toolConfig.toolChoice.${choice} field. Remove toolConfig.toolChoice.${choice} and try again.`;
  const ids = calls.map(({ toolUseId }) => asText(toolUseId));
  if (ids.some((id) => family.callId?.test(id) === false))
    return 'Tool call id has to be defined in history: it must be a-z, A-Z, 0-9, with a length of 9.';
  const results = all(blocks, 'toolResult');
  const isRich = results.some(
    ({ status, content }) =>
      status !== undefined || asRecords(content).some((one) => !has(one, 'text') && !has(one, 'json')),
  );
  return isRich && !family.rich ? "This model doesn't support the status field, or files, in a toolResult." : undefined;
}

function checkCaching(body: JsonRecord, family: ConverseFamily): string | undefined {
  const lists = [body['system'], asRecord(body['toolConfig'])['tools'], ...asRecords(body['messages']).map(blocksOf)];
  const points = lists.flatMap((list) => all(asRecords(list), 'cachePoint'));
  if (points.length === 0) return undefined;
  if (!family.cachePoints) return 'You invoked an unsupported model or your request did not allow prompt caching.';
  return points.length > MAX_CACHE_POINTS ? 'A maximum of 4 cache points may be provided.' : undefined;
}

function checkFamily(body: JsonRecord, family: ConverseFamily): string | undefined {
  const { maxTokens, stopSequences } = asRecord(body['inferenceConfig']);
  if (family.noStops && asList(stopSequences).length > 0) return "This model doesn't support the stopSequences field.";
  if ((asNumber(maxTokens) ?? Number.POSITIVE_INFINITY) < (family.minTokens ?? 1))
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${family.minTokens}.`;
  if (asRecord(body['outputConfig'])['textFormat'] !== undefined && !family.schema)
    return "This model doesn't support the outputConfig.textFormat field.";
  const extra = Object.keys(asRecord(body['additionalModelRequestFields'])).find(
    (name) => family.fields?.includes(name) !== true,
  );
  return extra === undefined
    ? undefined
    : `extraneous key [${extra}] is not permitted, please reformat your input and try again.`;
}

function checkReasoning(body: JsonRecord, { reasoning }: ConverseFamily, issuer: SealIssuer): string | undefined {
  const thoughts = asRecords(body['messages']).flatMap((message) => all(blocksOf(message), 'reasoningContent'));
  if (thoughts.length > 0 && reasoning === 'none') return "This model doesn't support reasoning content in user turns.";
  return firstOf(thoughts, ({ reasoningText, redactedContent }) => {
    if (redactedContent !== undefined)
      return openSeal(issuer, 'redacted-thinking', '', asText(redactedContent)) === undefined
        ? 'Invalid `data` in `redacted_thinking` block'
        : undefined;
    const { text, signature } = asRecord(reasoningText);
    if (reasoning === 'open') return signature === undefined ? undefined : "This model doesn't support signatures.";
    return isSealValid(issuer, 'thinking', asText(text), asText(signature))
      ? undefined
      : 'Invalid `signature` in `thinking` block';
  });
}
