import { defineConfig } from 'vitest/config';

// Workspace packages are resolved to their TypeScript sources, so tests never see a stale build.
const resolve = { conditions: ['trivium-source'] };
const ssr = { resolve: { conditions: ['trivium-source'] } };

export default defineConfig({
  resolve,
  ssr,
  test: {
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          testTimeout: 20_000,
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/*.test.ts'],
        },
      },
      {
        resolve,
        ssr,
        test: { name: 'tests', include: ['tests/**/*.test.ts'], testTimeout: 30_000, hookTimeout: 60_000 },
      },
    ],
  },
});
