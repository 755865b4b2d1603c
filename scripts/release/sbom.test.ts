import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { billOfMaterials } from './sbom.ts';

type Component = { readonly name: string; readonly version: string };

test('the bill of materials names what the published packages need, and no tool', () => {
  const bill = JSON.parse(billOfMaterials()) as {
    bomFormat: string;
    metadata: { component: Component };
    components: readonly Component[];
  };
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(bill.metadata.component.name).toBe('trivium');
  const listed = new Map(bill.components.map(({ name, version }) => [name, version]));
  for (const name of ['cli', 'gateway', 'protocol', 'simulator']) {
    const { dependencies = {} } = JSON.parse(
      readFileSync(new URL(`../../packages/${name}/package.json`, import.meta.url), 'utf8'),
    ) as { dependencies?: Record<string, string> };
    for (const [needed, version] of Object.entries(dependencies))
      if (!needed.startsWith('@trivium/')) expect(listed.get(needed), needed).toBe(version);
  }
  for (const tool of ['vitest', 'typescript', 'openai', '@biomejs/biome']) expect(listed.has(tool)).toBe(false);
});
