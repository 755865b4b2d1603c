/**
 * What the scripted coding agents work on: two tools with real effects on a little shelf of files, and one task that
 * needs both. The upstream's part is played by the simulator, so that every agent is asked for the same calls.
 */
import { expect } from 'vitest';
import { responsesHosts } from '../support/responses-probe.ts';
import { DESTINATIONS, type Json } from '../support/roads.ts';
import { openStand, type Stand } from '../support/stand.ts';

export const PLACES = DESTINATIONS.map(({ dialect, thinker }) => ({ dialect, model: thinker }));
export const TASK = 'Read the notes and write a summary. @simulate scenario=reasoning-tools';
/** A prompt that is long enough for caching and must not be truncated. */
export const INSTRUCTIONS = `You are a coding agent. ${'Use the tools; be brief; never guess. '.repeat(30)}`;

type ToolSpec = { readonly name: string; readonly description: string; readonly parameters: Json };

const READ: ToolSpec = {
  name: 'read_file',
  description: 'Reads a file of the workspace.',
  parameters: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { path: { type: 'string', description: 'Where the file is.' } },
    required: ['path'],
    additionalProperties: false,
  },
};
const WRITE: ToolSpec = {
  name: 'write_file',
  description: 'Writes a file of the workspace.',
  parameters: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
    additionalProperties: false,
  },
};
export const TOOLS = [READ, WRITE];

export type Shelf = { readonly done: string[]; use(name: string, input: Json): string };

export function openShelf(): Shelf {
  const files = new Map<string, string>([['example', 'Three roads meet at the old bridge.']]);
  const done: string[] = [];
  return {
    done,
    use: (name, input) => {
      done.push(name);
      const path = String(input['path']);
      if (name === READ.name) return files.get(path) ?? `no file ${path}`;
      if (name !== WRITE.name) throw new Error(`no tool ${name}`);
      files.set(path, String(input['content']));
      return `wrote ${path}`;
    },
  };
}

export const openWorkshop = (): Promise<Stand> => openStand({ alsoHosts: responsesHosts });

/** The model answers the first results with more thinking and more calls, and only then with words. */
export const onceMore = (stand: Stand): void => {
  stand.simulator.arm('scenario=reasoning-tools', { times: 1 });
};

/** The task is done: both tools were used, twice, and the upstream had nothing to refuse. */
export function expectDone(stand: Stand, shelf: Shelf, answer: string): void {
  expect(shelf.done).toEqual([READ.name, WRITE.name, READ.name, WRITE.name]);
  expect(answer).toMatch(/simulated answer|The tools answered/);
  const talks = stand.simulator.truth.read().filter(({ path }) => !path.includes('count'));
  expect(talks.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  const last = talks.at(-1)?.bodyText ?? '';
  expect(last).toContain('be brief; never guess.');
  expect(last).toContain('wrote example');
}
