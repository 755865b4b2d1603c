/** A copy of the tree to break things in, so that the working tree is never touched. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export type Colour = 'green' | 'red' | 'hung';

type Outcome = {
  readonly colour: Colour;
  /** The end of what the runner said. */
  readonly words: string;
};

export type Workbench = {
  readonly root: URL;
  write(file: string, text: string): void;
  /** Runs the test files whose path holds one of the texts, and stops at the first failure. */
  runTests(paths: readonly string[], hungAfterMs: number): Promise<Outcome>;
  /** Ends what runs here, too. */
  remove(): void;
};

const LEFT_OUT = new Set(['node_modules', '.git', 'dist', 'build', 'results', '.venv', 'coverage', '.trivium']);
const MAX_WORDS = 4000;
const OWN_SCOPE = '@trivium';

export function openWorkbench(source: URL): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'sabotage-'));
  // Tests start PostgreSQL as another user, which must reach its programs in here.
  chmodSync(folder, 0o755);
  const original = fileURLToPath(source);
  cpSync(original, folder, {
    recursive: true,
    filter: (path) => !LEFT_OUT.has(basename(path)) && !path.endsWith('.tsbuildinfo'),
  });
  linkModules(join(original, 'node_modules'), folder);
  const root = pathToFileURL(`${folder}/`);
  const running = new Set<ChildProcess>();
  return {
    root,
    write: (file, text) => writeFileSync(new URL(file, root), text),
    runTests: (paths, hungAfterMs) => runVitest(folder, paths, hungAfterMs, running),
    remove: () => {
      for (const child of running) end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Our own packages must resolve to the copy; everything else is shared. */
function linkModules(modules: string, folder: string): void {
  const linked = join(folder, 'node_modules');
  mkdirSync(join(linked, OWN_SCOPE), { recursive: true });
  for (const name of readdirSync(modules))
    if (name !== OWN_SCOPE && !name.startsWith('.')) symlinkSync(join(modules, name), join(linked, name));
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(linked, OWN_SCOPE, name));
    // What a package needs in another version than the rest.
    const own = join(modules, '../packages', name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, 'packages', name, 'node_modules'));
  }
}

function runVitest(
  folder: string,
  paths: readonly string[],
  hungAfterMs: number,
  running: Set<ChildProcess>,
): Promise<Outcome> {
  const options = [
    'run',
    '--bail=1',
    // A failure must repeat: a busy machine may cause a single one.
    '--retry=1',
    '--maxWorkers=1',
    '--no-isolate',
    '--reporter=dot',
    '--passWithNoTests',
    ...paths,
  ];
  const child = spawn(process.execPath, [join(folder, 'node_modules/vitest/vitest.mjs'), ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that a hung run can be killed with all its workers.
    detached: true,
  });
  running.add(child);
  return new Promise((resolve, reject) => {
    let hung = false;
    let words = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        words = (words + piece).slice(-MAX_WORDS);
      });
    const timer = setTimeout(() => {
      hung = true;
      end(child);
    }, hungAfterMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ colour: hung ? 'hung' : code === 0 ? 'green' : 'red', words });
    });
  });
}

/** The whole group: the runner and its workers. */
function end({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL');
}
