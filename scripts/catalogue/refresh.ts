// `--refresh`: gathers the facts anew from the newest packages. By hand only: it needs the network, the gate does not.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import aiSdk from '@ai-sdk/anthropic/package.json' with { type: 'json' };
import { type Fact, type Source, writeFacts } from './facts.ts';
import type { OurSheet } from './ours.ts';
import { unpack } from './packages.ts';
import { aiSdkFacts } from './readers/ai-sdk.ts';
import { genaiPricesLookup, readGenaiPrices } from './readers/genai-prices.ts';
import { litellmLookup } from './readers/litellm.ts';
import { readLiteral } from './readers/literal.ts';
import { MODULES, modelBankLookup, readModelBank } from './readers/model-bank.ts';
import { modelsDevLookup, readModelsDev } from './readers/models-dev.ts';
import type { Found, Lookup } from './readers/reader.ts';

interface Table {
  readonly source: Source;
  readonly lookup: Lookup | ((ours: OurSheet) => Promise<Found | undefined>);
}

const litellm = async (parent: string): Promise<Table> => {
  const { folder, source } = await unpack('PyPI', 'litellm', 'litellm', parent);
  const map = await readFile(join(folder, 'litellm', 'model_prices_and_context_window_backup.json'), 'utf8');
  return { source, lookup: litellmLookup(JSON.parse(map)) };
};

const aider = async (parent: string): Promise<Table> => {
  const { folder, source } = await unpack('PyPI', 'aider', 'aider-chat', parent);
  const text = await readFile(join(folder, 'aider', 'resources', 'model-metadata.json'), 'utf8');
  // It is JSON with comments.
  return { source, lookup: litellmLookup(readLiteral(text, 0) as Parameters<typeof litellmLookup>[0]) };
};

const opencode = async (parent: string): Promise<Table> => {
  const { folder, source } = await unpack('npm', 'models.dev', 'opencode-linux-x64', parent);
  // The program is no text as a whole, but its table is in ASCII.
  return { source, lookup: modelsDevLookup(readModelsDev(await readFile(join(folder, 'bin', 'opencode'), 'latin1'))) };
};

const genaiPrices = async (parent: string, day: string): Promise<Table> => {
  const { folder, source } = await unpack('npm', 'genai-prices', '@pydantic/genai-prices', parent);
  const providers = readGenaiPrices(await readFile(join(folder, 'dist', 'index.js'), 'utf8'));
  return { source, lookup: genaiPricesLookup(providers, day) };
};

const modelBank = async (parent: string): Promise<Table> => {
  const { folder, source } = await unpack('npm', 'model-bank', 'model-bank', parent);
  const read = async (module: string) => {
    const text = await readFile(join(folder, 'dist', 'aiModels', `${module}.mjs`), 'utf8');
    return [module, readModelBank(text)] as const;
  };
  return { source, lookup: modelBankLookup(new Map(await Promise.all(Object.values(MODULES).map(read)))) };
};

const aiSdkTable: Table = {
  source: { id: 'ai-sdk', from: 'npm', package: aiSdk.name, version: aiSdk.version },
  lookup: aiSdkFacts,
};

export const refreshFacts = async (ours: readonly OurSheet[]): Promise<void> => {
  const gathered = new Date().toISOString().slice(0, 10);
  const parent = await mkdtemp(join(tmpdir(), 'catalogue-'));
  try {
    const tables = [
      aiSdkTable,
      await aider(parent),
      await genaiPrices(parent, gathered),
      await litellm(parent),
      await modelBank(parent),
      await opencode(parent),
    ];
    const facts: Fact[] = [];
    for (const { source, lookup } of tables) {
      for (const sheet of ours) {
        const found = await lookup(sheet);
        if (found === undefined || Object.keys(found.sheet).length === 0) continue;
        facts.push({ model: sheet.model, host: sheet.host, source: source.id, as: found.as, ...found.sheet });
      }
    }
    await writeFacts({ gathered, sources: tables.map(({ source }) => source), facts });
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
};
