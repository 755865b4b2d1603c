/** Mistakes that we could make, or that others have made: each is one change to the text of the gateway. The comparison must find every one. */
const SRC = 'packages/gateway/src';

export type Mutant = { readonly name: string; readonly file: string; readonly from: string; readonly to: string };

const mutant =
  (file: string) =>
  (name: string, from: string, to: string): Mutant => ({ name, file: `${SRC}/${file}.ts`, from, to });

const set = mutant('models/policies/policy-set');
const compile = mutant('models/policies/compile');
const resolved = mutant('models/policies/resolved-policy');
const fence = mutant('models/routing/fence');
const order = mutant('models/routing/order-group');
const plan = mutant('calls/plan/policies');
const candidates = mutant('calls/plan/candidates');
const fallbacks = mutant('calls/plan/fallbacks');
const canary = mutant('calls/plan/canary');
const conversation = mutant('calls/plan/conversation');
const resolve = mutant('calls/plan/resolve');

export const MUTANTS: readonly Mutant[] = [
  set('the account at the top of the tree wins', 'rank: depth + 1, tag: undefined', 'rank: 9 - depth, tag: undefined'),
  set(
    'a policy of an account does not hold below it',
    'for (const [depth, account] of chain.entries()) {',
    'for (const [depth, account] of [accountId].entries()) {',
  ),
  set('a key wins over a tag', 'const KEY_RANK = 1_000;', 'const KEY_RANK = 9_000;'),
  set(
    'a tag replaces the limits of the account',
    'const channel = tag !== undefined ? ',
    "const channel = tag !== undefined ? '' : tag === '' ? ",
  ),
  set('an alias lifts the limits of its model', "alias === 1 ? 'alias' : ''", "alias === 1 ? '' : ''"),
  set('a prefix wins over an exact name', 'const EXACT = 1_000;', 'const EXACT = 0;'),
  set(
    'the shorter prefix wins',
    'name.startsWith(model) ? model.length : -1',
    'name.startsWith(model) ? 99 - model.length : -1',
  ),
  set(
    'the policy for a protocol wins over the one for an operation',
    'operation === undefined ? 0 : 1, protocol === undefined ? 0 : 1]',
    'protocol === undefined ? 0 : 1, operation === undefined ? 0 : 1]',
  ),
  set('null does not lift', 'value === null ||', 'false ||'),
  set('embeddings fall back to another model', "? member === 'fallbacks' || (member", '? (member'),
  set('a canary moves embeddings to another model', "(member === 'canary' && canary?.model !== undefined)", 'false'),
  set(
    'a policy that is not sticky lifts nothing',
    "|| member === 'sticky') && value === false",
    ') && value === false',
  ),
  set('policies are remembered without the protocol', 'question.protocol} $', 'question.operation} $'),
  compile(
    'contradicting policies are taken in their order',
    'if (one.policy === other.policy || one.value === other.value) return;',
    'if (one.value !== "") return;',
  ),
  compile(
    'two tags of one request contradict without a word',
    'const isOfTags = tagName !== undefined && ',
    'const isOfTags = tagName === "" && ',
  ),
  compile(
    'a list of models counts as its first',
    'return models.flatMap((pattern) => {',
    'return models.slice(0, 1).flatMap((pattern) => {',
  ),
  resolved(
    'only the first of several limits holds',
    'for (const { fence, policy } of this.#fences) {',
    'for (const { fence, policy } of this.#fences.slice(0, 1)) {',
  ),
  fence(
    'a host of unknown region is in every region',
    'route.region === undefined || !regions',
    'route.region !== undefined && !regions',
  ),
  fence('unknown training counts as none', 'route.trains !== false', 'route.trains === true'),
  fence('a host without a price is cheap', 'picoUsd === undefined || Number', 'picoUsd !== undefined && Number'),
  order(
    'weights of absent hosts count',
    'hosts.reduce((sum, host) => sum + shareOf(host), 0)',
    '[...weights.values()].reduce((sum, share) => sum + share, 0)',
  ),
  plan(
    'a caller that orders hosts leaves the shares in force',
    '(strategy ?? factor ?? providers ?? order) !== undefined',
    'strategy !== undefined',
  ),
  candidates(
    'the limits hold for the model of the call only',
    'const asked = ofAuto?.includes(name) === true ? understanding.model : name;',
    'const asked = name; if (name !== understanding.model) policies = undefined;',
  ),
  fallbacks(
    'a fallback is not limited by its own policy',
    'const policy = policies && policyFor(understood, policies, directory, name, model.id);',
    'const policy = undefined as ReturnType<typeof policyFor>;',
  ),
  fallbacks(
    'a caller with a list of models gets others',
    'if (asked?.models !== undefined || asked?.preference',
    'if (asked?.preference',
  ),
  fallbacks(
    'content that was filtered goes on without being asked for',
    "['error', 'over-rate', 'context-exceeded'];",
    "['error', 'over-rate', 'context-exceeded', 'content-filter'];",
  ),
  fallbacks(
    'a pinned host has fallbacks',
    'return ports.directory.find(understood.understanding.model) !== undefined;',
    'return true;',
  ),
  fallbacks(
    'the limits of the model asked for do not hold for its canary',
    'const allowed = allowedBy(within, model',
    'const allowed = allowedBy(undefined, model',
  ),
  canary(
    'a canary that has stepped back gets calls',
    'ports.policies?.isSteppedBack(said.policy) !== false',
    'ports.policies === undefined',
  ),
  canary('a caller that names hosts is moved', 'ordersHosts(asked) || asked.only !== undefined', 'ordersHosts({})'),
  canary(
    'a caller that names models or no fallback is moved',
    'if (!mayLeaveModel(understood, preferences, ports)) return undefined;',
    '',
  ),
  canary(
    'a canary is drawn anew for every call',
    "stickyDraw(understood, 'canary', said.policy, ports) ?? ports.random('canary')",
    'ports.random()',
  ),
  canary('the canary gets the rest', 'draw * 100 < percent', 'draw * 100 >= percent'),
  canary('only errors of a canary are made up for', "on: 'any'", "on: ['error']"),
  plan(
    'a canary keeps its place for the calls that are not sent there',
    '...(canary !== undefined && !isCanary && { last: canary }),',
    '',
  ),
  plan(
    'shares of conversations are drawn anew for every call',
    'sticky === undefined || weights === undefined',
    'purpose === "weights"',
  ),
  conversation('all keys of an account draw the same', '{keyId}', '{accountId}'),
  conversation('a canary and shares draw the same', '{purpose}', '{policy}'),
  conversation('instructions count as the first turn', 'if (!INSTRUCTIONS.test(element)) return', 'return'),
  conversation('a mark for caching begins another conversation', 'bounded(unmarked(whole))', 'bounded(whole)'),
  order(
    'the shares of a canary count for the others',
    'group.filter((candidate) => !isLast(candidate)),',
    'group.filter((candidate) => !isLast(candidate) || others.weights !== undefined),',
  ),
  resolve(
    'strict policies are not applied',
    'if (usable.some((one) => one.policy?.strict === true)) Object',
    'if (usable.length === 0) Object',
  ),
];
