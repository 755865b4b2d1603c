/**
 * A real engine behind the gateway: llama.cpp with a tiny generated model, called through all four protocols by the
 * official SDKs, plain and streamed. Prints a table; exits 1 when a line of it failed.
 */
import { strict as assert } from 'node:assert';
import { loadConfig, startGateway } from '@trivium/gateway';
import { CALLERS, type Caller } from './callers.ts';
import { startLlama } from './server.ts';

const KEY = 'sk-trivium-llama-0123456789abcdefghijklmnopqrstuv';

const configOf = (llamaUrl: string): Record<string, unknown> => ({
  listen: { host: '127.0.0.1', port: 0 },
  admin: { host: '127.0.0.1', port: 0 },
  log: { level: 'silent' },
  keys: [{ name: 'llama', secret: KEY }],
  providers: { 'llama-cpp': { baseUrl: llamaUrl } },
  models: [
    {
      id: 'local/tiny',
      endpoints: [{ provider: 'llama-cpp', upstreamModel: 'tiny' }],
      contextLength: 2048,
      maxOutputTokens: 256,
      capabilities: { tools: false, structuredOutput: false, thinking: { kind: 'none' } },
    },
  ],
});

type Check = { readonly name: string; readonly run: (caller: Caller) => Promise<void> };

const MAX_TOKENS = 24;
const asked = { prompt: 'Where do three roads meet?', maxTokens: MAX_TOKENS };

const CHECKS: readonly Check[] = [
  {
    name: 'plain: text, finish, usage',
    run: async (caller) => {
      const { text, finish, inputTokens, outputTokens } = await caller.plain(asked);
      assert.match(text, /^[a-z ]{10,}$/);
      assert.equal(finish, caller.lengthFinish);
      assert.ok(inputTokens > asked.prompt.length / 2, `${inputTokens} input tokens`);
      assert.equal(outputTokens, MAX_TOKENS);
    },
  },
  {
    name: 'streamed: the same as plain',
    run: async (caller) => {
      const plain = await caller.plain(asked);
      const streamed = await caller.streamed(asked);
      assert.equal(streamed.text, plain.text);
      // This server sends no usage in streams, so none is asserted.
      assert.equal(streamed.finish, plain.finish);
    },
  },
  {
    name: 'a stop sequence ends the answer',
    run: async (caller) => {
      if (!caller.stops) return;
      const { text } = await caller.plain(asked);
      const stop = text.slice(8, 11);
      for (const way of [caller.plain, caller.streamed]) {
        const stopped = await way({ ...asked, stop });
        assert.equal(stopped.text, text.slice(0, text.indexOf(stop)));
        assert.notEqual(stopped.finish, caller.lengthFinish);
      }
    },
  },
  {
    name: 'Unicode goes in and comes back',
    run: async (caller) => {
      const { text, inputTokens } = await caller.plain({ prompt: 'Grüße 😀 \u2028 三' });
      assert.ok(text.length > 0 && inputTokens > 0);
    },
  },
  {
    name: 'eight calls at once get the same answer',
    run: async (caller) => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => caller.streamed({ ...asked, maxTokens: 16 })));
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    },
  },
  {
    name: 'an unknown model is an error',
    run: (caller) => assert.rejects(caller.plain({ ...asked, model: 'local/absent' }), /absent/),
  },
  {
    name: 'more than the context holds is an error, not an answer',
    run: async (caller) => {
      const prompt = 'long '.repeat(3000);
      for (const way of [caller.plain, caller.streamed]) await assert.rejects(way({ prompt }));
    },
  },
];

async function attempt(caller: Caller, check: Check): Promise<boolean> {
  const started = performance.now();
  try {
    await check.run(caller);
    console.log(`pass  ${caller.name}: ${check.name} (${Math.round(performance.now() - started)} ms)`);
    return true;
  } catch (error) {
    console.log(`FAIL  ${caller.name}: ${check.name}\n      ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function main(): Promise<number> {
  const llama = await startLlama();
  try {
    const loaded = loadConfig({ text: JSON.stringify(configOf(llama.url)), env: {} });
    if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
    let failed = 0;
    let passed = 0;
    for (const callerOf of CALLERS) {
      // One gateway per caller: after an error in a stream this server resets the connection, which would fail the next request.
      const gateway = await startGateway({ config: loaded.config });
      const caller = callerOf(gateway.url, KEY);
      for (const check of CHECKS) (await attempt(caller, check)) ? passed++ : failed++;
      await gateway.close();
    }
    console.log(`llama.cpp: ${passed} passed, ${failed} failed`);
    return failed;
  } finally {
    llama.close();
  }
}

process.exitCode = (await main()) === 0 ? 0 : 1;
