import { describe, expect, test } from 'vitest';
import { publishedManifest, repositoryFields } from './pack.ts';

const manifest = {
  name: '@trivium/example',
  version: '0.1.0',
  files: ['dist'],
  exports: {
    '.': { 'trivium-source': './src/main.ts', types: './dist/main.d.ts', default: './dist/main.js' },
    './package.json': './package.json',
  },
};

describe('a published manifest', () => {
  test('names no sources, which are not published', () => {
    expect(publishedManifest(manifest, {}, 'packages/example').exports).toEqual({
      '.': { types: './dist/main.d.ts', default: './dist/main.js' },
      './package.json': './package.json',
    });
  });
  test('names the repository of the release run, and none where there is no such run', () => {
    const env = { GITHUB_SERVER_URL: 'https://forge.example', GITHUB_REPOSITORY: 'team/gateway' };
    expect(publishedManifest(manifest, env, 'packages/example')).toMatchObject({
      repository: { type: 'git', url: 'git+https://forge.example/team/gateway.git', directory: 'packages/example' },
      bugs: 'https://forge.example/team/gateway/issues',
    });
    expect(repositoryFields({}, 'packages/example')).toEqual({});
    expect(repositoryFields({ GITHUB_REPOSITORY: 'team/gateway' }, 'packages/example')).toEqual({});
  });
});
