import { defineConfig } from 'vitest/config';

// Workspace packages are resolved to their TypeScript sources, so tests never see a stale build.
const resolve = { conditions: ['trivium-source'] };
const ssr = { resolve: { conditions: ['trivium-source'] } };

/** Tests that hold a wait against a bound: they come last, one at a time, so that no other test is measured with them. */
const TIMING = [
  'packages/gateway/src/http/exchange.test.ts',
  'tests/bad-input/json.test.ts',
  'tests/conformance/routing/strategies.test.ts',
  'tests/journeys/caller-hangs-up.test.ts',
  'tests/journeys/hedging.test.ts',
  'tests/journeys/silence.test.ts',
];

/** How long a test waits for what must come: a wrong answer fails at once, a slow machine does not. */
const PATIENCE = {
  setupFiles: ['tests/support/patience.ts'],
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  resolve,
  ssr,
  test: {
    // One process for each core loads the gateway once and runs file after file: loading it anew for every file took longer than
    // all tests together. Files share what modules keep: caches and counters that no test reads.
    isolate: false,
    maxWorkers: 2,
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          ...PATIENCE,
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/*.test.ts'],
          exclude: TIMING,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'tests',
          globalSetup: ['tests/contract/report.ts'],
          ...PATIENCE,
          setupFiles: [...PATIENCE.setupFiles, 'tests/contract/dialects-seen.ts'],
          include: ['tests/**/*.test.ts'],
          exclude: TIMING,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'timing',
          ...PATIENCE,
          include: TIMING,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
