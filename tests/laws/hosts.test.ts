/** What each host with fixtures is really sent: a caller's request on one side, the body for that host on the other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerSet } from '@trivium/gateway';
import type { JsonObject } from '@trivium/protocol/canonical';
import { type Dialect, findDialect, type RequestHead, type TargetFacts } from '@trivium/protocol/dialects';
import { scanMembers, splice } from '@trivium/protocol/framing';
import { describe, expect, test } from 'vitest';

const FOLDER = new URL('../../packages/protocol/fixtures/hosts/', import.meta.url).pathname;
const hosts = readdirSync(FOLDER);
const MAX_DEPTH = 64;

/** A model that can do everything, so that what differs is the host. */
const factsFor = (dialect: Dialect, quirks: object): TargetFacts => ({
  upstreamModel: 'upstream-model',
  model: {
    maxOutputTokens: undefined,
    temperature: true,
    tools: true,
    structuredOutput: true,
    thinking: { kind: 'effort', canDisable: true, levels: ['low', 'medium', 'high'] },
  },
  quirks,
  sealOwner: { dialect: dialect.id, family: 'host' },
});

test('there are hosts with fixtures', () => expect(hosts.length).toBeGreaterThan(0));

/** What callers of these formats say beside the body. */
const HEADERS: Readonly<Record<string, string>> = { 'anthropic-version': '2023-06-01' };
const HEAD: RequestHead = { model: 'host/model', stream: false, header: (name) => HEADERS[name] };

describe.each(hosts)('%s', (host) => {
  test('is a host of the registry', () => expect(providerSet().find(host)).toBeDefined());

  test.each(readdirSync(join(FOLDER, host)))('%s', (scenario) => {
    const read = (name: string): string => readFileSync(join(FOLDER, host, scenario, name), 'utf8');
    const { kind, dialect: id = 'openai-chat' } = JSON.parse(read('origin.json'));
    expect(['recorded', 'from-spec', 'invented']).toContain(kind);
    const offer = providerSet().offer(host, id);
    const dialect = findDialect(id);
    if (offer === undefined || dialect === undefined) throw new Error(`${host} offers no ${id}`);
    const text = read('request.json');
    const facts = factsFor(dialect, dialect.quirks(offer.quirks ?? {}));
    const understanding = dialect.server.understand(JSON.parse(text) as JsonObject, HEAD);
    const request = understanding.verbatim(facts);
    const sent: unknown =
      'why' in request
        ? dialect.client.encodeCall(understanding.call(), facts).body
        : JSON.parse(splice(text, scanMembers(text, MAX_DEPTH), request.edits));
    expect(sent).toEqual(JSON.parse(read('upstream.json')));
  });
});
