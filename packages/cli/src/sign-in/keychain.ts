/** The keychain of the operating system, through its own program. Secrets pass by standard input, never by arguments. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Keychain {
  readonly name: string;
  read(account: string): Promise<string | undefined>;
  write(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

const SERVICE = 'trivium';
const LIMIT_MS = 30_000;

/** Undefined where there is none, such as on a server, or where the person wants a file. */
export async function systemKeychain(env: Env): Promise<Keychain | undefined> {
  if (env['TRIVIUM_TOKEN_STORE'] === 'file') return undefined;
  if (process.platform === 'darwin') return macKeychain(env);
  if (process.platform !== 'linux' || !env['DBUS_SESSION_BUS_ADDRESS']) return undefined;
  const keychain = secretService(env);
  // The program may be absent, or no keyring may answer on the bus.
  return await keychain.read('probe').then(
    () => keychain,
    () => undefined,
  );
}

const secretService = (env: Env): Keychain => {
  const attributes = (account: string) => ['service', SERVICE, 'account', account];
  return {
    name: 'the keyring',
    read: (account) => run('secret-tool', ['lookup', ...attributes(account)], '', env, hasNone),
    write: async (account, secret) => {
      const label = `--label=Trivium: ${account}`;
      await run('secret-tool', ['store', label, ...attributes(account)], secret, env);
    },
    remove: async (account) => {
      await run('secret-tool', ['clear', ...attributes(account)], '', env, hasNone);
    },
  };
};

/** It fails without a word where nothing is kept, and with one where no keyring answers. */
const hasNone = (code: number | null, complaint: string): boolean => code === 1 && complaint === '';

const isUnknown = (code: number | null): boolean => code === 44;

const macKeychain = (env: Env): Keychain => ({
  name: 'the keychain',
  read: (account) => run('security', ['find-generic-password', '-s', SERVICE, '-a', account, '-w'], '', env, isUnknown),
  write: async (account, secret) => {
    // Its interactive form reads the whole command from standard input. Hexadecimal needs no quotes.
    const hex = Buffer.from(secret).toString('hex');
    await run('security', ['-i'], `add-generic-password -U -s ${SERVICE} -a "${account}" -X ${hex}\n`, env);
  },
  remove: async (account) => {
    await run('security', ['delete-generic-password', '-s', SERVICE, '-a', account], '', env, isUnknown);
  },
});

/** What it prints, without the end of its last line; undefined if nothing is kept there. */
async function run(
  program: string,
  args: readonly string[],
  input: string,
  env: Env,
  isAbsent: (code: number | null, complaint: string) => boolean = () => false,
): Promise<string | undefined> {
  const child = spawn(program, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'], timeout: LIMIT_MS });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // It may end before it has read everything: its exit code says why.
  child.stdin.on('error', () => undefined).end(input);
  const [output, printed, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const complaint = printed.trim();
  if (isAbsent(code, complaint)) return undefined;
  if (code !== 0) throw new Error(`${program} failed: ${complaint.slice(0, 200) || `exit code ${code}`}`);
  return output === '' ? undefined : output.replace(/\n$/, '');
}
