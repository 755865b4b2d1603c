/**
 * Mistakes that others have made, or that we could make: each is one change to the text of the core, of the ledger that it is held
 * against, or to the way a node or the database uses them. The simulation must find every one of them.
 */
const CORE = 'packages/gateway/src/money/ledger/core';
const MODEL = 'tests/ledger-model';

export type Mutant = {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
};

const core = (file: string, name: string, from: string, to: string): Mutant => ({
  name,
  file: `${CORE}/${file}.ts`,
  from,
  to,
});
const reference = (file: string, name: string, from: string, to: string): Mutant => ({
  name,
  file: `${MODEL}/reference/${file}.ts`,
  from,
  to,
});
const model = (file: string, name: string, from: string, to: string): Mutant => ({
  name,
  file: `${MODEL}/${file}.ts`,
  from,
  to,
});

export const MUTANTS: readonly Mutant[] = [
  reference(
    'admission',
    'no row lock: two holds within 3 ms see the same balance',
    `const least = roomIn(state, account, keys, instead);
  if (least.room < amount)`,
    `const seen = (state as unknown as { seen?: { account: string; at: number; least: Room } }).seen;
  const fresh = roomIn(state, account, keys, instead);
  Object.assign(state, { seen: { account: account.id, at: nowMs, least: fresh } });
  const least = seen !== undefined && seen.account === account.id && nowMs - seen.at <= 3 ? seen.least : fresh;
  if (least.room < amount)`,
  ),
  reference(
    'posting',
    'a batch admits past the credit: what is set aside does not count',
    'credit + overdraft - posted - pending,',
    'credit + overdraft - posted,',
  ),
  reference('node-epochs', 'no reaper', '> SILENCE_MS) node', '> SILENCE_MS * 1000) node'),
  reference(
    'node-epochs',
    "a node's clock decides who is dead",
    'if (nowMs - Math.max',
    'if (nowMs + 13_000 - Math.max',
  ),
  reference(
    'closing',
    'settling does not look whether it was done before',
    "if (hold?.state === 'open') {",
    'if (hold !== undefined) {',
  ),
  reference(
    'closing',
    'settling under a lease does not look whether it was done before',
    'if (hold !== undefined || state.entries.has(keyOf(account.id, request)))',
    'if (hold !== undefined)',
  ),
  reference(
    'closing',
    'what becomes known after a burial is not charged',
    'if (missed > 0n) chargeUncovered(state, account, purses, id, missed, command);',
    'if (missed > 0n) return CLOSED;',
  ),
  reference(
    'closing',
    'a correction is posted each time it comes',
    'if (state.entries.has(keyOf(account.id, id))) return DONE;',
    '',
  ),
  reference('closing', 'a correction charges everything anew', ' - (before?.amount ?? 0n);', ';'),
  reference(
    'closing',
    'what a burial charged too much is kept',
    '(estimated && missed < 0n)) return CLOSED;',
    'missed < 0n) return CLOSED;',
  ),
  reference(
    'closing',
    'a correction leaves budgets out',
    'const purses = covering?.purses ?? [];',
    'const purses: string[] = [];',
  ),
  reference(
    'closing',
    'what a correction finds no room for is not counted',
    'const covered = lesser(amount, room > 0n ? room : 0n);',
    'const covered = amount + 0n * room;',
  ),
  reference(
    'closing',
    'a request of an account that was boundless at admission goes free',
    'else chargeUncovered(state, account, lease?.purses ?? [], request, command.cost, command);',
    "else if (account.kind === 'unlimited' || leaseId !== '')\n    chargeUncovered(state, account, lease?.purses ?? [], request, command.cost, command);",
  ),
  reference(
    'closing',
    'what ran under a lease that is gone goes free',
    'else chargeUncovered(state, account, lease?.purses ?? [], request, command.cost, command);',
    "else if (leaseId === '') chargeUncovered(state, account, [], request, command.cost, command);",
  ),
  reference(
    'posting',
    'what is given back is booked as a charge',
    "write(state, account, 'charge', paid, true);",
    "write(state, account, 'charge', paid);",
  ),
  reference(
    'apply',
    'a payment smaller than the debt is refused',
    'if (amount < 0n && room + amount < 0n)',
    'if (room + amount < 0n)',
  ),
  reference(
    'closing',
    'the dead man’s leases are given back before what ran on them is settled',
    "if (isLeftOver(state, account, hold) && hold.kind === 'request') closeAtCheckpoint",
    "if (isLeftOver(state, account, hold) && hold.kind === 'lease') closeAtCheckpoint",
  ),
  reference('closing', 'given back and still open', "  hold.state = 'released';\n}", '}'),
  reference(
    'closing',
    'a release that overtakes its hold is forgotten',
    "    state.holds.set(keyOf(account.id, id), bareHold(account.id, command, 'released'));",
    '    void command;',
  ),
  reference(
    'admission',
    'refused without asking leases back',
    'if (room + recallable < amount)',
    'if (room + recallable * 0n < amount)',
  ),
  reference('admission', 'one idempotency key, two holds', "if (idempotencyKey !== '')", "if (idempotencyKey === '?')"),
  reference(
    'posting',
    'budgets keep what the account got back',
    'state.purses.get(key)!.pending += amount;',
    'if (amount > 0n) state.purses.get(key)!.pending += amount;',
  ),
  reference(
    'posting',
    'whoever has a budget of the key has none of the member',
    "if (scope !== 'account' && !scopes.includes(scope)) continue;",
    "if (scope !== 'account' && scopes[0] !== scope) continue;",
  ),
  core(
    'node-ledger-core',
    'a lease that draws on one member’s budget serves all members',
    "scopes.length === 0 ? account : [account, ...scopes].join(' ')",
    'account',
  ),
  reference(
    'posting',
    'a template is ignored',
    'of templatesFor(state, account, scopes))',
    'of templatesFor(state, account, scopes).slice(1))',
  ),
  reference(
    'templates',
    'a budget is added to the template it should replace',
    ' && !isSet(state, account, scope, template.span))',
    ' && isSet(state, account, scope, template.span) !== undefined)',
  ),
  reference(
    'templates',
    'the template of a kind goes before that of one value',
    'templates.find(({ each }) => each === scope) ?? templates.find(({ each }) => each === kindOf(scope));',
    'templates.find(({ each }) => each === kindOf(scope)) ?? templates.find(({ each }) => each === scope);',
  ),
  reference(
    'windows',
    'a day is 86,400 seconds',
    'endMs: midnightMs(clock, next) };',
    'endMs: midnightMs(clock, first) + (next - first) * DAY_MS };',
  ),
  reference('windows', 'a day begins in another time zone', 'clockOf(rule.timeZone);', "clockOf('UTC');"),
  reference('windows', 'every week begins on a Monday', 'THURSDAY - weekStartsOn', 'THURSDAY - 1'),
  reference(
    'templates',
    'a request without the value has the shared balance',
    "template.missing === 'refuse' && scope",
    "template.missing === 'shared' && template.limit < 0n && scope",
  ),
  reference(
    'templates',
    'a request without the value has no bound',
    ': [withoutValue(template)]',
    ": [withoutValue(template)].filter(() => template.missing === 'refuse')",
  ),
  reference(
    'posting',
    'the model asked for goes as far as the one named for what does not fit',
    "if (instead === '') return room;\n  const onLimit = onLimitOf(state, purse);\n  if (onLimit?.model !== instead) return room;",
    'const onLimit = onLimitOf(state, purse);\n  if (onLimit === undefined || instead.length > 9) return room;',
  ),
  reference(
    'posting',
    'a model goes beyond the limit of a template that names another',
    'if (onLimit?.model !== instead) return room;',
    'if (onLimit === undefined) return room;',
  ),
  reference(
    'posting',
    'what may be spent beyond the limit is there for each request anew',
    'return room + onLimit.beyond < 0n ? 0n : room + onLimit.beyond;',
    'return (room < 0n ? 0n : room) + onLimit.beyond;',
  ),
  reference(
    'admission',
    'a stream of the model asked for is extended beyond the limit',
    'roomIn(state, account, hold.purses, hold.instead);',
    "roomIn(state, account, hold.purses, hold.instead || 'small');",
  ),
  reference(
    'admission',
    'a stream of the named model is not extended beyond the limit',
    'roomIn(state, account, hold.purses, hold.instead);',
    'roomIn(state, account, hold.purses, hold.instead.slice(9));',
  ),
  reference(
    'admission',
    'what the named model spends does not count',
    'purses: keys,\n    idempotencyKey,\n    instead,',
    "purses: instead === '' ? keys : [],\n    idempotencyKey,\n    instead,",
  ),
  reference(
    'templates',
    'a request without a required value is served by the named model',
    'template?.onLimit === undefined || isRefused(template, scope)',
    'template?.onLimit === undefined',
  ),
  reference(
    'posting',
    'no other model is named where credit is shortest',
    "if (roomOf(state, purse, '') >= amount) continue;",
    "if (purses.length > 1 || roomOf(state, purse, '') >= amount) continue;",
  ),
  reference(
    'posting',
    'a balance counts twice',
    'keys.push(key);',
    "keys.push(key);\n    if (scope.startsWith('member:')) keys.push(key);",
  ),
  reference('posting', 'a link of the chain is missing', 'previous: account.head,', "previous: '',"),
  core('node-ledger-core', 'a lease is given out twice', 'lease.held += amount;', 'lease.held += amount / 2n;'),
  core(
    'node-ledger-core',
    'a node that lost touch goes on admitting',
    'return nowMs < this.#trustedUntilMs;',
    'return true;',
  ),
  core(
    'running',
    'whoever hangs up goes free',
    'estimated && !free && cost > amount ? amount : cost;',
    'estimated ? 0n : cost;',
  ),
  core(
    'node-ledger-core',
    'charged at the prices of another day',
    '      cost: charged,\n      priceVersion,',
    "      cost: charged,\n      priceVersion: 'v1',",
  ),
  core(
    'posting-queue',
    'a lease is given back before what ran on it is settled',
    "kind === 'lease' || kind === 'resize';",
    "kind !== 'settle';",
  ),
  core(
    'posting-queue',
    'postings that came in while a batch was on its way are dropped with it',
    'this.waiting.splice(0, count);',
    'if (count > 0) this.waiting.splice(0);',
  ),
  core('node-ledger-core', 'settled from a lease and not counted', 'lease.settled += cost;', ''),
  core(
    'lease',
    'a recall gives back what running requests need',
    'lease.granted = settled + held;',
    'lease.granted = settled;',
  ),
  core('journal-records', 'what ran when the node died goes free', 'cost === 0n ?', 'cost >= 0n ?'),
  core(
    'journal-records',
    'a replayed settlement gets a new id',
    "yield { do: 'settle', account, request, lease, cost,",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    "yield { do: 'settle', account, request: `${request}+`, lease, cost,",
  ),
  model(
    'node',
    'sent upstream before the journal is written',
    'this.#write(watch, () => this.#proceed(watch, fate, priceVersion));\n    } else',
    'this.#dispatch(watch, fate, priceVersion, false);\n    } else',
  ),
  model(
    'node',
    'a process that stood still sends what it had admitted before',
    'if (watch.till.isCovered(fate.request, this.clockMs)) this',
    "if (fate.request !== '') this",
  ),
  model(
    'node',
    'postings without an answer are taken for done',
    'if (results === undefined) again();',
    "if (results === undefined) till.posted(batch, batch.map(() => ({ is: 'done' })), sentAtMs, this.clockMs);",
  ),
  model(
    'node',
    'a restarted node does not replay its journal',
    'else this.#replay(() => this.#serve(epoch, sentAtMs));',
    'else this.#serve(epoch, sentAtMs);',
  ),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
  model('node', 'a restarted node takes its old epoch again', '.${++this.#epochs}`', '`'),
];
