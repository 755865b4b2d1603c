/** Mistakes planted in the sources: each is one change to their text, and the comparison must find every one. */
const SRC = 'packages/gateway/src';

export type Mutant = { readonly name: string; readonly file: string; readonly from: string; readonly to: string };

const mutant =
  (file: string) =>
  (name: string, from: string, to: string): Mutant => ({ name, file: `${SRC}/${file}.ts`, from, to });

const replan = mutant('calls/plan/replan');
const chance = mutant('control/what-if/chance');
const evidence = mutant('control/what-if/evidence');
const judge = mutant('control/what-if/judge');
const pricing = mutant('control/what-if/pricing');
const tally = mutant('control/what-if/tally');

export const MUTANTS: readonly Mutant[] = [
  replan('hosts out of service are taken for healthy', "one.why === 'ejected'", "one.why === 'internal'"),
  replan('the latencies of hosts are forgotten', 'firstTokenMs: known?.firstTokenMs', 'firstTokenMs: undefined'),
  replan('the bounds of the prompt are forgotten', '= inputBounds ?? {}', '= inputBounds === undefined ? {} : {}'),
  replan('the hosts of the record are ignored', 'hosts === undefined || hosts.size === 0', 'entry !== undefined'),
  evidence(
    'the preferences of the caller are ignored',
    'preferences: preferences && routing',
    'preferences: undefined && routing',
  ),
  evidence('the tags of a refused request are ignored', 'details.tags ?? details.refusedTags', 'details.tags'),
  evidence('the alias that was asked for is ignored', 'asked: askedModel ?? modelId', 'asked: modelId'),
  chance('round robin starts anew for every request', '({ turn, draw: 0 })', '({ turn: turn * 0, draw: 0 })'),
  chance('shares are drawn from their upper end', '(before + share / 2)', '(before + share)'),
  judge('a host that failed is taken to answer', 'passed.delete(answered);', 'passed.clear();'),
  judge('the terms of the account are ignored', 'event, factorPpm, isMoved', 'event, factorPpm: 1_000_000, isMoved'),
  pricing('cached input is priced anew', 'costOf(usage, rates);', 'costOf(withoutCache(usage), rates);'),
  pricing('draft prices are those of today', 'draft\n    .targetsOf(call', '[like] || draft\n    .targetsOf(call'),
  tally(
    'a refusal or failure is not counted',
    'this.wasNano += wasNano;',
    "if (kind === 'kept' && wouldNano > 10n ** 5n) this.wasNano += wasNano;",
  ),
  replan('the canary is drawn like the hosts', "purpose === 'canary' ? call.canaryDraw : draw", 'draw'),
];
