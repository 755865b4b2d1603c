/** S6: no fixture whose figures are true is suspect, whole or streamed, on either lane, at a model as narrow as they come. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type Json, type JsonObject, outputTokens, type Produced, type Usage } from '@trivium/protocol/canonical';
import { type Dialect, findDialect, type RequestHead, type TargetFacts } from '@trivium/protocol/dialects';
import { describe, expect, test } from 'vitest';
import { checkUsage } from '../../packages/gateway/src/calls/admit/bill.ts';
import { TranslatedStream } from '../../packages/gateway/src/calls/lanes/translated.ts';
import { VerbatimStream } from '../../packages/gateway/src/calls/lanes/verbatim.ts';
import { producedIn } from '../../packages/gateway/src/calls/lanes/whole.ts';
import type { Planned } from '../../packages/gateway/src/calls/request.ts';
import type { TextTarget } from '../../packages/gateway/src/kernel/target.ts';
import { contextOf, targetOf } from './fixture-set.ts';

const WIRE = new URL('../../packages/protocol/fixtures/wire/', import.meta.url);
const DIALECTS = ['openai-chat', 'anthropic-messages', 'google-generate', 'openai-responses'] as const;
const HEADERS: Readonly<Record<string, string>> = { 'anthropic-version': '2023-06-01' };
const HEAD: RequestHead = { model: 'maker/model', stream: false, header: (name) => HEADERS[name] };
const LIMITS = { eventLength: 1_000_000, jsonDepth: 64 };
const LEAST_WITH_USAGE = 60;

type Cell = { readonly dialect: Dialect; readonly name: string };
const cells: readonly Cell[] = DIALECTS.flatMap((id) => {
  const dialect = findDialect(id);
  if (dialect === undefined) throw new Error(`the dialect ${id} is not built`);
  return readdirSync(new URL(`${id}/`, WIRE)).map((name) => ({ dialect, name }));
});

type Measured = { readonly how: string; readonly usage: Usage; readonly produced: Produced };

function targetFor({ dialect, name }: Cell, thinks: boolean): TextTarget {
  const own = new URL(`${dialect.id}/${name}/target.json`, WIRE);
  const { quirks = {}, sealOwner } = existsSync(own)
    ? (JSON.parse(readFileSync(own, 'utf8')) as { quirks?: object; sealOwner?: TargetFacts['sealOwner'] })
    : {};
  const facts: TargetFacts = {
    upstreamModel: 'upstream-model',
    model: {
      maxOutputTokens: 8192,
      temperature: true,
      tools: true,
      structuredOutput: true,
      thinking: { kind: thinks ? 'effort' : 'none', canDisable: true, levels: ['low'] },
    },
    quirks: dialect.quirks(quirks),
    sealOwner: sealOwner ?? { dialect: dialect.id, family: 'fixture' },
  };
  return {
    ...targetOf(facts),
    dialect,
    route: { ...targetOf(facts).route, contextLength: 128_000, maxOutputTokens: 8192 },
  };
}

function measure(cell: Cell): readonly Measured[] {
  const { dialect, name } = cell;
  const read = (file: string): string => readFileSync(new URL(`${dialect.id}/${name}/${file}`, WIRE), 'utf8');
  const target = targetFor(cell, true);
  const answer = JSON.parse(read('answer.json')) as Json;
  const { usage } = dialect.client.decodeAnswer(answer, target.facts);
  const measured: Measured[] = [{ how: 'whole', usage, produced: producedIn(answer, target) }];
  for (const [how, pump] of [
    ['verbatim stream', new VerbatimStream(dialect, contextOf(), target, LIMITS)],
    ['translated stream', new TranslatedStream(dialect, contextOf(), target, LIMITS)],
  ] as const) {
    pump.push(read('stream.sse'));
    pump.end();
    measured.push({ how, usage: pump.meter.reading.usage, produced: pump.meter.reading });
  }
  return measured;
}

const thinksIn = (measured: readonly Measured[], text: string): boolean =>
  measured.some(({ usage }) => (usage.internalReasoning ?? 0) > 0) || /reasoning|thinking|thought/.test(text);

let withUsage = 0;

describe.each(cells)('$dialect.id $name', (cell) => {
  const text = readFileSync(new URL(`${cell.dialect.id}/${cell.name}/request.json`, WIRE), 'utf8');
  const answerText = readFileSync(new URL(`${cell.dialect.id}/${cell.name}/answer.json`, WIRE), 'utf8');
  const understanding = cell.dialect.server.understand(JSON.parse(text) as JsonObject, HEAD);
  const asked = { text, understanding } as unknown as Planned;
  const measured = measure(cell);

  test.each(measured)('$how: true usage is plausible', ({ usage, produced }) => {
    const target = targetFor(cell, thinksIn(measured, answerText));
    const rates = target.card.rates();
    expect(checkUsage(asked, target, { usage, produced: () => produced }, rates)).toEqual({ usage, why: [] });
    if (outputTokens(usage) > 0) withUsage++;
  });

  test.each(measured)('$how: a million tokens instead of the true usage are detected', ({ usage, produced }) => {
    const lie = { ...usage, completion: 1_000_000 };
    const target = targetFor(cell, thinksIn(measured, answerText));
    const { why } = checkUsage(asked, target, { usage: lie, produced: () => produced }, target.card.rates());
    expect(why).toContain('output-cap');
  });
});

const USAGE = new URL('../../packages/protocol/fixtures/usage/', import.meta.url);
test.each(readdirSync(USAGE))('the invoice of %s, at a model that thinks', (name) => {
  const { meters } = JSON.parse(readFileSync(new URL(`${name}/invoice.json`, USAGE), 'utf8')) as { meters: Usage };
  const [cell] = cells;
  const target = targetFor(cell!, true);
  const understanding = { call: () => ({ operation: 'text', tools: [], sampling: {}, extras: {} }) };
  const asked = { text: '', understanding } as unknown as Planned;
  const produced = () => ({ producedCharacters: 2, producedPieces: 1 });
  expect(checkUsage(asked, target, { usage: meters, produced }, target.card.rates()).why).toEqual([]);
});

test('the law was tested with enough fixtures', () => expect(withUsage).toBeGreaterThan(LEAST_WITH_USAGE));
