/** Unknown → a structurally valid messages request. */
import { GatewayError } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonArray, isJsonObject, type JsonObject, numberAt, stringAt } from '../../canonical/json.ts';
import type { Loss, PathLosses } from '../../canonical/loss.ts';
import {
  checkWith,
  compile,
  isGiven,
  malformed,
  membersWith,
  refuseUnpriced,
  refuseUnreadPrivacy,
  ruleOf,
  tagOf,
  type Validator,
} from '../checking.ts';
import type { RequestHead } from '../dialect.ts';
import { BlockCheck, type BlockTraits, type FoundMedia } from './check-blocks.ts';
import { checkToolChoice, checkTools } from './check-tools.ts';
import { THREAD_UNSUPPORTED } from './faults.ts';
import { MONEY_BETAS, MONEY_MEMBERS, USUAL_VALUES } from './money.ts';
import { MessagesCallWire, ThinkingByType } from './wire.ts';

const call = compile(MessagesCallWire);
const thinkingForms: Readonly<Record<string, Validator<unknown>>> = {
  enabled: compile(ThinkingByType.enabled),
  disabled: compile(ThinkingByType.disabled),
  adaptive: compile(ThinkingByType.adaptive),
};

export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(MessagesCallWire.properties));
/** Accepted so that existing callers keep working, never forwarded, always reported. */
export const HINT_FIELDS: readonly string[] = ['metadata', ...membersWith(MONEY_MEMBERS, 'removed')];
const REFUSED_FIELDS = membersWith(MONEY_MEMBERS, 'refused');

export type CheckedCall = {
  readonly body: JsonObject;
  readonly model: string;
  readonly maxTokens: number;
  readonly stream: boolean;
  readonly thinking: JsonObject | undefined;
  readonly tools: readonly JsonObject[];
  /** Some tools were dropped, because their types are unknown here. */
  readonly unknownTools: boolean;
  readonly toolChoice: JsonObject | undefined;
  readonly media: readonly FoundMedia[];
  readonly traits: BlockTraits;
  readonly losses: PathLosses;
  readonly head: CheckedHead;
};

export function checkCall(body: JsonObject, head: RequestHead | undefined): CheckedCall {
  const checkedHead = checkHead(head);
  const wire = checkWith(call, body, '', 'dots');
  refuseThread(body);
  refuseUnpriced(body, REFUSED_FIELDS, USUAL_VALUES);
  refuseUnreadPrivacy(body);
  const thinking = checkThinking(body['thinking'], wire.max_tokens);
  const tools = checkTools(wire.tools ?? []);
  const toolChoice = checkToolChoice(body['tool_choice'], tools);
  const check = new BlockCheck(head?.sealing);
  check.losses.addAll(checkedHead.losses);
  check.system(wire.system);
  check.messages(wire.messages, checkedHead.systemRole);
  if (head?.strict === true) checkDeclared(body, tools);
  return {
    body,
    model: wire.model,
    maxTokens: wire.max_tokens,
    stream: wire.stream === true,
    thinking,
    tools,
    unknownTools: tools.length < (wire.tools?.length ?? 0),
    toolChoice,
    media: check.media,
    traits: check.traits,
    losses: check.losses,
    head: checkedHead,
  };
}

/** The vendor's SDKs send their tool runner's conversations as threads, and as whole ones after this error code. */
function refuseThread(body: JsonObject): void {
  if (isGiven(body['thread']))
    throw new GatewayError({
      kind: 'unsupported',
      message: "'thread' is not offered: send the whole conversation.",
      field: 'thread',
      code: THREAD_UNSUPPORTED,
    });
}

/** Clients omit tools on later turns, so calls of undeclared tools pass, except for strict callers. */
function checkDeclared(body: JsonObject, tools: readonly JsonObject[]): void {
  const declared = new Set(tools.map((tool) => tool['name']));
  for (const [turn, message] of arrayAt(body, 'messages').entries())
    for (const [position, block] of (isJsonObject(message) ? arrayAt(message, 'content') : []).entries())
      if (isJsonObject(block) && block['type'] === 'tool_use' && !declared.has(block['name']))
        throw malformed(`messages.${turn}.content.${position}.name`, 'names no declared tool');
}

function checkThinking(given: JsonObject[string] | undefined, maxTokens: number): JsonObject | undefined {
  if (!isGiven(given)) return undefined;
  const type = tagOf(given, 'type', 'thinking') ?? '';
  const validator = Object.hasOwn(thinkingForms, type) ? thinkingForms[type] : undefined;
  if (validator === undefined || typeof given !== 'object' || given === null || isJsonArray(given))
    throw malformed('thinking.type', 'must be one of enabled, disabled, adaptive');
  checkWith(validator, given, 'thinking', 'dots');
  const budget = numberAt(given, 'budget_tokens');
  if (stringAt(given, 'type') === 'enabled' && budget !== undefined && budget >= maxTokens)
    throw malformed('thinking.budget_tokens', 'must be less than max_tokens');
  return given;
}

// The version and beta headers, under both names this protocol has for them.

const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  'partner-version': ['2023-06-01'],
  'anthropic-version': ['2023-06-01', '2026-10-21'],
};
/**
 * From this version on, or with a beta that enables it, the API accepts the role `system` in the middle of a
 * conversation.
 */
const SYSTEM_ROLE_VERSION = '2026-10-21';
const BETA = /^(.+)-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;
/**
 * Betas by their names without the date, and what each enables. Fields and roles are validated where they occur, so
 * other dialects lose nothing with the header itself; a beta that is not listed here may mean anything, and is a loss
 * there.
 */
const BETAS: ReadonlyMap<string, { readonly systemRole?: true }> = new Map([
  ['mid-conversation-system', { systemRole: true }],
  ['mid-conversation-tool-changes', { systemRole: true }],
  ...[
    ...['claude-code', 'interleaved-thinking', 'fine-grained-tool-streaming', 'thinking-token-count', 'effort'],
    ...['context-management', 'advanced-tool-use', 'tool-search-tool', 'structured-outputs', 'token-efficient-tools'],
    ...['prompt-caching', 'prompt-caching-scope', 'extended-cache-ttl', 'output-128k', 'oauth', 'token-counting'],
    'pdfs',
  ].map((name) => [name, {}] as const),
]);

type CheckedHead = {
  readonly systemRole: boolean;
  readonly betas: readonly string[];
  /** The header's name, if it contains an unknown beta. */
  readonly unknownBetas?: string;
  /** Betas that are not forwarded, because they change the price. */
  readonly losses: readonly Loss[];
};

const WITHHELD: readonly Loss[] = [{ path: 'anthropic-beta', why: 'not-forwarded' }];

/** A body without headers is validated by the newest rules that need no header. */
function checkHead(head: RequestHead | undefined): CheckedHead {
  if (head === undefined) return { systemRole: false, betas: [], losses: [] };
  let versioned = false;
  for (const [name, accepted] of Object.entries(VERSIONS)) {
    const version = head.header(name);
    if (version === undefined) continue;
    versioned = true;
    if (!accepted.includes(version.trim()))
      throw malformed(name, `must be ${accepted.join(' or ')}`, 'unsupported_version');
  }
  if (!versioned) throw malformed('anthropic-version', 'or partner-version is required as a header');
  const given = checkBetas(head);
  const betas = given.filter((beta) => ruleOf(MONEY_BETAS, beta) !== 'removed');
  const systemRole =
    head.header('anthropic-version')?.trim() === SYSTEM_ROLE_VERSION ||
    betas.some((beta) => opened(beta)?.systemRole === true);
  const isKnown = betas.every((beta) => opened(beta) !== undefined);
  const losses = betas.length < given.length ? WITHHELD : [];
  return { systemRole, betas, losses, ...(!isKnown && { unknownBetas: 'anthropic-beta' }) };
}

const opened = (beta: string) => BETAS.get(BETA.exec(beta)?.[1] ?? beta);

function checkBetas(head: RequestHead): readonly string[] {
  const betas = new Set<string>();
  for (const name of ['partner-beta', 'anthropic-beta'])
    for (const beta of (head.header(name) ?? '').split(',')) {
      const word = beta.trim();
      if (ruleOf(MONEY_BETAS, word) === 'refused')
        throw malformed(name, `may not ask for ${word}, which is not offered`);
      if (word !== '') betas.add(word);
    }
  return [...betas];
}
