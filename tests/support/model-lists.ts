/** The three model lists of a running gateway, each entry beside its siblings of the other protocols. */
import { expect } from 'vitest';
import type { Stand } from './stand.ts';

export type Entry = Readonly<Record<string, unknown>>;

/** One model as each protocol lists it. */
export type Listed = { readonly id: string; readonly chat: Entry; readonly messages: Entry; readonly genai: Entry };

export const LIST_PATHS = {
  chat: '/api/v1/models',
  messages: '/api/anthropic/v1/models',
  genai: '/api/vertex-ai/v1beta/models',
} as const;
export type Protocol = keyof typeof LIST_PATHS;
export const PROTOCOLS = Object.keys(LIST_PATHS) as readonly Protocol[];

export type Got = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Entry };

export async function get(stand: Stand, path: string, init: RequestInit = {}): Promise<Got> {
  const response = await fetch(stand.url + path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) as Entry };
}

/** The entries of a list that was answered with 200. */
export async function entries(stand: Stand, path: string, init?: RequestInit): Promise<readonly Entry[]> {
  const { status, json } = await get(stand, path, init);
  expect(status).toBe(200);
  return (json['data'] ?? json['models']) as readonly Entry[];
}

export const idsOf = (list: readonly Entry[]): string[] => list.map((entry) => String(entry['id'] ?? entry['name']));

/** Fails when a model is missing in one of the lists, so that a comparison cannot pass by comparing nothing. */
export async function listedModels(stand: Stand): Promise<readonly Listed[]> {
  const [chat, messages, genai] = await Promise.all(PROTOCOLS.map((protocol) => entries(stand, LIST_PATHS[protocol])));
  const inMessages = new Map(messages!.map((entry) => [entry['id'], entry]));
  const inGenai = new Map(genai!.map((entry) => [entry['name'], entry]));
  expect(chat!.length).toBeGreaterThan(0);
  return chat!.map((entry) => {
    const id = String(entry['id']);
    expect(inMessages.has(id) && inGenai.has(id)).toBe(true);
    return { id, chat: entry, messages: inMessages.get(id)!, genai: inGenai.get(id)! };
  });
}

export const listed = async (stand: Stand, id: string): Promise<Listed> => {
  const found = (await listedModels(stand)).find((model) => model.id === id);
  expect(found, `${id} is listed`).toBeDefined();
  return found!;
};
