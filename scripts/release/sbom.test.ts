import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { billOfMaterials, withBase } from './sbom.ts';

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

test('the bill of an image names its base by digest, never by tag', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const { components } = JSON.parse(withBase('{"components":[]}', `docker.io/library/node@${digest}`));
  expect(components).toEqual([expect.objectContaining({ name: 'docker.io/library/node', version: digest })]);
  expect(() => withBase('{"components":[]}', 'docker.io/library/node:26')).toThrow('no digest');
});
