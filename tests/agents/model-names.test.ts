// The model names inside current agents (`npm run agents` reads them from the programs, and fails where this list lacks one).
import { readFileSync } from 'node:fs';
import { loadCatalogue, providerSet } from '@trivium/gateway';
import { expect, test } from 'vitest';

const NAMES: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL('../../scripts/agents/model-names.json', import.meta.url), 'utf8'),
);
const { snapshot } = await loadCatalogue({ knownProviders: providerSet().ids });

test.each(Object.entries(NAMES))(
  'every name that %s sends or offers is served, or retired with a successor',
  (_, names) => {
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      const found = snapshot.lookup(name);
      const successor = found.kind === 'retired' ? snapshot.find(found.successor ?? '')?.id : undefined;
      expect(found.kind === 'served' || successor !== undefined, name).toBe(true);
    }
  },
);
