/** What npm links as `trivium`, run as it is. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const BIN = new URL('../bin/trivium.js', import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
  engines: { node: string };
};

/** Runs it under a Node.js that calls itself `version`. */
const runAs = (version: string) => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const options = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`];
  return spawnSync(process.execPath, [...options, BIN, '--version'], { encoding: 'utf8' });
};

test.each(['24.0.0', process.versions.node])('in a clone, the sources run on Node.js %s', (version) => {
  const { status, stdout, stderr } = runAs(version);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
});

test.each(['20.20.2', '8.0.0'])('Node.js %s is answered with what is needed', (version) => {
  const { status, stdout, stderr } = runAs(version);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toBe(
    `trivium: Node.js 24 or newer is needed, this is v${version}: install it from https://nodejs.org\n`,
  );
});

test('what it asks for is what the package asks for', () => expect(manifest.engines.node).toBe('>=24'));

/** The options under which its last process runs. */
const optionsOf = (args: readonly string[], more = ''): readonly string[] => {
  const tell = encodeURIComponent('console.error(JSON.stringify(process.execArgv))');
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${tell} ${more}` };
  const { stderr } = spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8', env });
  return JSON.parse(stderr.split('\n').findLast((line) => line.startsWith('[')) ?? '');
};

test('what serves has a larger young generation, unless its size is set', () => {
  const serve = ['serve', '--config', 'no-such-file.yaml'];
  expect(optionsOf(serve)).toContain('--max-semi-space-size=32');
  expect(optionsOf(serve, '--max-semi-space-size=8').join()).not.toContain('semi-space');
  expect(optionsOf(['--version']).join()).not.toContain('semi-space');
});
