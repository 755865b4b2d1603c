/**
 * Runs an image as an engine would, with what a machine without one has: the image's file system mounted read-only, processes of its
 * own, the image's environment and user, no capabilities. The network is the machine's.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunLine } from './run-line.ts';

export type ImageConfig = {
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
  readonly ExposedPorts: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
};

export type RunSettings = {
  readonly root: string;
  readonly config: ImageConfig;
  readonly line: RunLine;
  /** Where the command is typed. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
};

const START_LIMIT_MS = 10_000;

/** Everything an engine mounts; then the root is closed, and the program starts as the user of the line. */
const SCRIPT = `
set -e
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
mount --rbind /dev "$ROOT/dev"
mount -t proc proc "$ROOT/proc"
while read -r from to mode; do
  mount --bind "$from" "$ROOT$to"
  [ "$mode" != ro ] || mount -o remount,bind,ro "$ROOT$to"
done <"$VOLUMES"
[ "$READ_ONLY" != true ] || mount -o remount,bind,ro "$ROOT"
exec /usr/bin/env --unset=ROOT --unset=VOLUMES --unset=READ_ONLY PATH="$IMAGE_PATH" \
  /usr/bin/setpriv --bounding-set=-all,+sys_chroot,+setuid,+setgid --no-new-privs \
  /usr/bin/unshare --root="$ROOT" --wd="$WORKDIR" --setgid="$GROUP_ID" --setuid="$USER_ID" "$@"
`;

/** Engines make what volumes are mounted on, and give a named volume the owner that the image's folder has. */
function prepareVolumes({ root, line, folder }: RunSettings): string {
  const mounts = line.volumes.map(({ from, to, isReadOnly }) => {
    const isPath = from.startsWith('$PWD/');
    const source = isPath ? from.replace('$PWD', folder) : join(folder, `volume-${from}`);
    const target = join(root, to);
    if (!isPath) {
      mkdirSync(source, { recursive: true });
      const { uid, gid } = statSync(target);
      chownSync(source, uid, gid);
    } else if (!existsSync(target)) {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, '');
    }
    return `${source} ${to} ${isReadOnly ? 'ro' : 'rw'}\n`;
  });
  for (const name of ['dev', 'proc']) mkdirSync(join(root, name), { recursive: true });
  const file = join(folder, 'volumes');
  writeFileSync(file, mounts.join(''));
  return file;
}

/** As the kernel looks a program up, in the image. */
function programIn(
  root: string,
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): string[] {
  if (program.startsWith('/')) return [program, ...args];
  const folder = (env['PATH'] ?? '').split(':').find((path) => existsSync(join(root, path, program)));
  if (folder === undefined) throw new Error(`the image has no ${program} in its PATH`);
  return [`${folder}/${program}`, ...args];
}

/** Before that the process is the machine's shell, and its tools. */
const isInImage = (pid: string): boolean => readlinkSync(`/proc/${pid}/exe`).endsWith('/usr/local/bin/node');

export class Container {
  readonly #settings: RunSettings;
  readonly #env: Readonly<Record<string, string>>;
  readonly #child: ChildProcess;
  readonly output: Promise<string>;
  readonly ended: Promise<number | null>;

  constructor(settings: RunSettings) {
    const { root, config, line, variables } = settings;
    const own = Object.fromEntries(
      config.Env.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    );
    this.#settings = settings;
    this.#env = { ...own, ...variables };
    const command = programIn(root, [...config.Entrypoint, ...config.Cmd], this.#env);
    this.#child = spawn(
      '/usr/bin/unshare',
      ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', SCRIPT, 'sh', ...command],
      {
        env: {
          ...this.#env,
          PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
          IMAGE_PATH: this.#env['PATH'] ?? '',
          ROOT: root,
          VOLUMES: prepareVolumes(settings),
          READ_ONLY: String(line.isReadOnly),
          WORKDIR: config.WorkingDir,
          USER_ID: String(line.uid),
          GROUP_ID: String(line.gid),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.output = Promise.all([text(this.#child.stdout!), text(this.#child.stderr!)]).then((both) => both.join(''));
    this.ended = once(this.#child, 'exit').then(([code]) => code as number | null);
  }

  /** The program's own process, as the machine numbers it. */
  async pid(): Promise<number> {
    const limitMs = performance.now() + START_LIMIT_MS;
    for (;;) {
      const children = `/proc/${this.#child.pid}/task/${this.#child.pid}/children`;
      const [pid] = existsSync(children) ? readFileSync(children, 'utf8').trim().split(' ').filter(Boolean) : [];
      if (pid !== undefined && isInImage(pid)) return Number(pid);
      if (performance.now() > limitMs)
        throw new Error(`it did not start: ${await Promise.race([this.output, 'no output yet'])}`);
      await sleep(20);
    }
  }

  async statusOf(field: string): Promise<string> {
    const status = readFileSync(`/proc/${await this.pid()}/status`, 'utf8');
    return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  }

  /** As `docker exec`: another program in the same file system, as the same user. */
  async exec(command: readonly string[]): Promise<{ readonly status: number | null; readonly output: string }> {
    const { root, line } = this.#settings;
    const pid = await this.pid();
    const into = [
      '--target',
      String(pid),
      '--mount',
      '--pid',
      '--root',
      '--wd',
      `--setgid=${line.gid}`,
      `--setuid=${line.uid}`,
    ];
    const run = spawnSync('/usr/bin/nsenter', [...into, ...programIn(root, command, this.#env)], {
      env: this.#env,
      encoding: 'utf8',
    });
    return { status: run.status, output: `${run.stdout}${run.stderr}`.trim() };
  }

  async stop(): Promise<void> {
    process.kill(await this.pid(), 'SIGTERM');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
