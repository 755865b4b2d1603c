/** What each host with fixtures is really sent: a caller's request on one side, the body for that host on the other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerSet } from '@trivium/gateway';
import type { JsonObject } from '@trivium/protocol/canonical';
import { findDialect, type TargetFacts } from '@trivium/protocol/dialects';
import { scanMembers, splice } from '@trivium/protocol/framing';
import { describe, expect, test } from 'vitest';

const FOLDER = new URL('../../packages/protocol/fixtures/hosts/', import.meta.url).pathname;
const hosts = readdirSync(FOLDER);
const MAX_DEPTH = 64;

/** A model that can do everything, so that what differs is the host. */
const factsFor = (quirks: object): TargetFacts => ({
  upstreamModel: 'upstream-model',
  model: {
    maxOutputTokens: undefined,
    temperature: true,
    tools: true,
    structuredOutput: true,
    thinking: { kind: 'effort', canDisable: true, levels: ['low', 'medium', 'high'] },
  },
  quirks,
  sealOwner: { dialect: 'openai-chat', family: 'host' },
});

test('there are hosts with fixtures', () => expect(hosts.length).toBeGreaterThan(0));

describe.each(hosts)('%s', (host) => {
  const offer = providerSet().offer(host, 'openai-chat');
  const chat = findDialect('openai-chat');

  test('is a host of the registry', () => expect(offer).toBeDefined());

  test.each(readdirSync(join(FOLDER, host)))('%s', (scenario) => {
    if (offer === undefined || chat === undefined) throw new Error(`${host} offers no chat completions`);
    const read = (name: string): string => readFileSync(join(FOLDER, host, scenario, name), 'utf8');
    expect(['recorded', 'from-spec', 'invented']).toContain(JSON.parse(read('origin.json')).kind);
    const text = read('request.json');
    const facts = factsFor(chat.quirks(offer.quirks ?? {}));
    const understanding = chat.server.understand(JSON.parse(text) as JsonObject);
    const request = understanding.verbatim(facts);
    const sent: unknown =
      'why' in request
        ? chat.client.encodeCall(understanding.call(), facts).body
        : JSON.parse(splice(text, scanMembers(text, MAX_DEPTH), request.edits));
    expect(sent).toEqual(JSON.parse(read('upstream.json')));
  });
});
