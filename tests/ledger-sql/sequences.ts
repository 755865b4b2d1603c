/** Random sequences of commands, with few enough names that they meet: repeated, late, out of order, against the dead. */
import type { Command, SetTemplate } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { Random } from '../ledger-model/random.ts';
import { drawTemplate } from '../ledger-model/scenario.ts';

export type Batch = { readonly nowMs: number; readonly commands: readonly Command[] };

const MIDNIGHT = Date.UTC(2026, 1, 1);
export const UP_SINCE_MS = MIDNIGHT - 3_600_000;

const KINDS = ['prepaid', 'prepaid', 'postpaid', 'unlimited'] as const;
const SPANS = ['day', 'month', 'total'] as const;
const SCOPES = ['account', 'key:k', 'member:m'] as const;

/** Around which windows end in UTC, or a day of 23 or 25 hours elsewhere. */
const EDGES = [MIDNIGHT, MIDNIGHT, Date.UTC(2026, 2, 29, 22), Date.UTC(2026, 9, 25, 23), Date.UTC(2026, 10, 2, 5)];

export function drawSequence(seed: number): Batch[] {
  const random = new Random(seed);
  const others = new Random(seed + 1_000_000);
  const hasTemplates = others.happens(0.5);
  let nowMs = (hasTemplates ? EDGES[others.between(0, EDGES.length - 1)]! : MIDNIGHT) - random.between(0, 20_000);
  const opening: Command[] = [
    { do: 'register', node: 'n1', epoch: 'e1' },
    { do: 'register', node: 'n2', epoch: 'e2' },
  ];
  for (const account of ['a', 'b']) {
    const kind = KINDS[random.between(0, 3)]!;
    opening.push({ do: 'open-account', account, kind, overdraft: kind === 'postpaid' ? 500n : 0n });
    opening.push({ do: 'deposit', account, id: 'first', amount: BigInt(random.between(100, 3_000)), memo: 'café' });
  }
  const batches: Batch[] = [{ nowMs, commands: opening }];
  for (let count = random.between(4, 9); count > 0; count--) {
    nowMs += random.happens(0.2) ? random.between(5_000, 16_000) : random.between(1, 500);
    const commands = random.happens(0.4) ? drawRun(random) : drawMixed(random, random.between(1, 6));
    if (hasTemplates && others.happens(0.5)) commands.unshift(drawTemplateChange(others));
    if (hasTemplates && others.happens(0.4)) commands.push(...drawAtLimit(others));
    const named = hasTemplates ? commands.map((command) => forNamedModel(others, command)) : commands;
    batches.push({ nowMs, commands: named });
  }
  return batches;
}

function drawTemplateChange(random: Random): Command {
  const pick = <T>(values: readonly T[]): T => values[random.between(0, values.length - 1)]!;
  const [account, each] = [pick(['a', 'a', 'b']), pick(['member', 'key', 'tag:t', 'member:m', 'account'])];
  const template = drawTemplate(random);
  return random.happens(0.2)
    ? { do: 'remove-template', account, each, span: template.span }
    : { ...template, account, each, limit: BigInt(random.between(0, 900)), onLimit: smaller(random, template) };
}

const smaller = (random: Random, { onLimit }: Pick<SetTemplate, 'onLimit'>): SetTemplate['onLimit'] =>
  onLimit && { ...onLimit, beyond: BigInt(random.between(0, 300)) };

/** Some holds are for a model that templates name for what does not fit; what is free fits. */
function forNamedModel(random: Random, command: Command): Command {
  if (command.do !== 'hold' || random.happens(0.6)) return command;
  const instead = random.happens(0.5) ? 'small' : 'free';
  return random.happens(0.2) ? { ...command, instead, amount: 0n } : { ...command, instead };
}

/** Holds, extensions and settles of one member around the limit of a template that names another model. */
function drawAtLimit(random: Random): Command[] {
  const pick = <T>(values: readonly T[]): T => values[random.between(0, values.length - 1)]!;
  const amount = (most: number): bigint => BigInt(random.between(0, most));
  const of = { account: 'a', epoch: 'e1', scopes: pick([['member:m'], ['member:m'], ['key:k']]) };
  const onLimit = { model: pick(['small', 'free']), beyond: amount(120) };
  const template = { ...drawTemplate(random), span: 'total', each: 'member', limit: amount(200), onLimit } as const;
  const commands: Command[] = [{ ...template, account: 'a' }];
  if (random.happens(0.3))
    commands.push({ do: 'set-budget', account: 'a', scope: 'member:m', span: 'total', limit: pick([null, 30n]) });
  if (random.happens(0.5)) {
    commands.push({ do: 'lease', ...of, lease: pick(['l1', 'l2', 'l3']), wanted: 400n, least: 1n });
    // Fits once the lease is returned.
    const request = `r${random.between(341, 350)}`;
    commands.push({ do: 'hold', ...of, request, amount: template.limit, priceVersion: 'v1', idempotencyKey: '' });
  }
  for (let count = random.between(3, 7); count > 0; count--) {
    const request = `r${random.between(300, 340)}`;
    const hold = { do: 'hold', ...of, request, amount: amount(150), priceVersion: 'v1', idempotencyKey: '' } as const;
    commands.push(random.happens(0.5) ? hold : { ...hold, instead: onLimit.model });
    if (random.happens(0.6))
      commands.push({ do: 'resize', account: 'a', hold: request, version: 1, to: amount(250), yields: false });
    if (random.happens(0.4))
      commands.push({ ...drawSettle(random, 0), account: 'a', request, cost: amount(300) } as Command);
  }
  return commands;
}

const drawMixed = (random: Random, length: number): Command[] => Array.from({ length }, () => drawCommand(random));

/** Mostly settles: long enough to be posted together, of names new and known, with strange ones and other commands between them. */
function drawRun(random: Random): Command[] {
  const run = [...drawMixed(random, random.between(0, 2)), ...drawOpened(random)];
  const strangeness = random.happens(0.5) ? 0 : 0.1;
  for (let count = random.between(4, 30); count > 0; count--)
    run.push(random.happens(strangeness / 2) ? drawCommand(random) : drawSettle(random, strangeness));
  return run;
}

/** A lease, and requests with holds of their own or known by checkpoints, which the settles may then name. */
function drawOpened(random: Random): Command[] {
  const account = random.happens(0.7) ? 'a' : 'b';
  const scopes = random.happens(0.5) ? ['key:k'] : [];
  const of = { account, epoch: 'e1', scopes, priceVersion: 'v1' };
  const opened: Command[] = [{ do: 'lease', ...of, lease: 'l1', wanted: BigInt(random.between(50, 600)), least: 1n }];
  for (let count = random.between(0, 4); count > 0; count--) {
    const request = `r${random.between(6, 15)}`;
    const amount = BigInt(random.between(0, 60));
    if (random.happens(0.5)) opened.push({ do: 'hold', ...of, request, amount, idempotencyKey: '' });
    else opened.push({ do: 'checkpoint', account, request, lease: 'l1', cost: amount, priceVersion: 'v1' });
  }
  return opened;
}

function drawSettle(random: Random, strangeness: number): Command {
  const pick = <T>(values: readonly T[]): T => values[random.between(0, values.length - 1)]!;
  const isStrange = random.happens(strangeness);
  return {
    do: 'settle',
    account: isStrange ? pick(['nobody', 'a', 'b']) : pick(['a', 'a', 'b']),
    request: isStrange
      ? pick(['first', 'correction:s', 'r1', 's'])
      : `r${random.between(1, random.happens(0.4) ? 15 : 200)}`,
    lease: isStrange ? pick(['', 'l3']) : pick(['l1', 'l1', 'l2', '']),
    cost: BigInt(random.happens(0.1) ? 0 : random.between(1, 60)),
    priceVersion: pick(['v1', 'v2']),
    estimated: random.happens(0.3),
    memo: pick(['', 'x|y', 'ü']),
  };
}

function drawCommand(random: Random): Command {
  const pick = <T>(values: readonly T[]): T => values[random.between(0, values.length - 1)]!;
  const amount = (most: number): bigint => BigInt(random.between(0, most));
  const account = random.happens(0.03) ? 'nobody' : pick(['a', 'a', 'b']);
  const request = `r${random.between(1, 5)}`;
  const lease = `l${random.between(1, 2)}`;
  const epoch = pick(['e1', 'e1', 'e2', 'e3']);
  const scopes = random.happens(0.5)
    ? []
    : pick([['key:k'], ['member:m'], ['key:k', 'member:m'], ['key:k', 'tag:t=a=b']]);
  const priceVersion = pick(['v1', 'v2']);
  switch (random.between(0, 19)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const idempotencyKey = random.happens(0.2) ? 'i' : '';
      return { do: 'hold', account, request, epoch, amount: amount(600), scopes, priceVersion, idempotencyKey };
    }
    case 4:
    case 5:
    case 6:
      return { do: 'lease', account, lease, epoch, wanted: amount(400), least: amount(60), scopes };
    case 7:
    case 8: {
      const yields = random.happens(0.3);
      return {
        do: 'resize',
        account,
        hold: pick([request, lease, lease]),
        version: random.between(1, 4),
        to: amount(600),
        yields,
      };
    }
    case 9:
    case 10:
    case 11:
    case 12: {
      const figures = { cost: amount(400), priceVersion, estimated: random.happens(0.3), memo: pick(['', 'x|y', 'ü']) };
      return { do: 'settle', account, request, lease: random.happens(0.5) ? lease : '', ...figures };
    }
    case 13:
    case 14:
      return {
        do: 'checkpoint',
        account,
        request,
        lease: random.happens(0.6) ? lease : '',
        cost: amount(300),
        priceVersion,
      };
    case 15:
      return { do: 'release', account, hold: pick([request, lease]) };
    case 16:
      return random.happens(0.5)
        ? { do: 'deposit', account, id: `p${random.between(1, 3)}`, amount: amount(800) - 299n, memo: '' }
        : { do: 'open-account', account: pick(['a', 'b']), kind: pick(KINDS), overdraft: amount(300) };
    case 17:
      return {
        do: 'set-budget',
        account,
        scope: pick(SCOPES),
        span: pick(SPANS),
        limit: random.happens(0.2) ? null : amount(900),
      };
    case 18:
      return pick<Command>([
        { do: 'bury', account },
        { do: 'end', epoch },
        { do: 'register', node: pick(['n1', 'n2']), epoch },
      ]);
    default:
      return pick<Command>([{ do: 'reap' }, { do: 'beat', epoch }, { do: 'bury', account }]);
  }
}
