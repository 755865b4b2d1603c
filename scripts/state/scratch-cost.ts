import { execSync, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';

const role = process.argv[2];
if (role === 'gateway') {
  const { loadConfig, startGateway } = await import('@trivium/gateway');
  const loaded = loadConfig({ text: process.env['CFG']!, env: {} });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  const g = await startGateway({ config: loaded.config });
  process.send!({ url: g.url, admin: g.adminUrl });
  process.on('message', () => process.send!({ cpu: process.cpuUsage() }));
} else {
  const { startSimulator } = await import('@trivium/simulator');
  const { freshDatabase } = await import('../../tests/support/database.ts');
  const db = await freshDatabase();
  const sim = await startSimulator({});
  const CFG = JSON.stringify({
    listen: { host: '127.0.0.1', port: 0 },
    admin: { host: '127.0.0.1', port: 0, secret: 'sk-operator-canary-0123456789abcdefghijklmnopqrstuv' },
    log: { level: 'silent' },
    overload: { lagMs: 0 },
    keys: [],
    database: { url: db.url },
    secrets: { keys: ['the first key of thirty-two characters'] },
    state: { keepHours: 1 },
    providers: { openai: { credential: 'x', baseUrl: `${sim.url}/openai/v1` } },
    models: [
      { id: 'openai/gpt-4o', contextLength: 128000, maxOutputTokens: 16384, endpoints: [{ provider: 'openai' }] },
      {
        id: 'openai/gpt-4o-r',
        contextLength: 128000,
        maxOutputTokens: 16384,
        endpoints: [{ provider: 'openai', dialect: 'openai-responses', upstreamModel: 'gpt-4o' }],
      },
    ],
  });
  const child = fork(new URL(import.meta.url).pathname, ['gateway'], {
    env: { ...process.env, CFG },
    execArgv: process.execArgv,
  });
  const { url, admin } = await new Promise<any>((r) => child.once('message', r));
  const op = async (m: string, p: string, b: any) =>
    (
      await fetch(`${admin}/admin/v1${p}`, {
        method: m,
        headers: {
          authorization: 'Bearer sk-operator-canary-0123456789abcdefghijklmnopqrstuv',
          'content-type': 'application/json',
        },
        body: JSON.stringify(b),
      })
    ).json() as any;
  const secrets: string[] = [];
  for (let i = 0; i < 8; i++) {
    await op('POST', '/accounts', { id: `a${i}`, name: 'a', kind: 'unlimited' });
    secrets.push((await op('POST', `/accounts/a${i}/keys`, { name: 'k', rights: { manages: 'owner' } })).secret);
  }
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const post = (secret: string, body: any) =>
    new Promise<string>((res, rej) => {
      const q = http.request(
        `${url}/api/v1/responses`,
        { method: 'POST', agent, headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' } },
        (r) => {
          let t = '';
          r.setEncoding('utf8');
          r.on('data', (d) => (t += d));
          r.on('end', () => (r.statusCode === 200 ? res(t) : rej(new Error(t))));
        },
      );
      q.on('error', rej);
      q.end(JSON.stringify(body));
    });
  const pgpids = () => execSync('pgrep -x postgres || true').toString().trim().split('\n').filter(Boolean);
  const port = new URL(db.url).port;
  const ours = new Set<string>();
  const root = pgpids().find((p) => {
    try {
      return readFileSync(`/proc/${p}/cmdline`, 'utf8').includes(port) || false;
    } catch {
      return false;
    }
  });
  const pgcpu = () => {
    let t = 0;
    for (const p of pgpids()) {
      try {
        const s = readFileSync(`/proc/${p}/stat`, 'utf8').split(') ')[1]!.split(' ');
        if (p === root || s[1] === root) t += Number(s[11]) + Number(s[12]);
      } catch {}
    }
    return t * 10;
  };
  const gcpu = () =>
    new Promise<number>((r) => {
      child.once('message', (m: any) => r((m.cpu.user + m.cpu.system) / 1000));
      child.send('cpu');
    });
  const N = 400;
  const input = 'Tell me of roads. '.repeat(60);
  for (const model of ['openai/gpt-4o', 'openai/gpt-4o-r'])
    for (const [name, more] of [
      ['warm', { store: true }],
      ['unstored', { store: false }],
      ['stored', { store: true }],
      ['unstored', { store: false }],
      ['stored', {}],
    ] as const) {
      const [p0, g0, t0] = [pgcpu(), await gcpu(), performance.now()];
      let left = N;
      await Promise.all(
        Array.from({ length: 16 }, async (_, w) => {
          while (left-- > 0) await post(secrets[w % 8]!, { model, input, stream: true, ...more });
        }),
      );
      await new Promise((r) => setTimeout(r, 1500));
      const [p1, g1] = [pgcpu(), await gcpu()];
      console.log(model, name, {
        pgMsPerTurn: (p1 - p0) / N,
        gwMsPerTurn: (g1 - g0) / N,
        perSec: N / ((performance.now() - t0 - 1500) / 1000),
      });
    }
  const { Client } = await import('pg');
  const c = new Client({ connectionString: db.url });
  await c.connect();
  console.log(
    (
      await c.query(
        "select count(*), avg(octet_length(sealed)) sealed, pg_total_relation_size('stored_responses')/count(*) as total from stored_responses",
      )
    ).rows,
  );
  await c.end();
  child.kill();
  await sim.close();
  process.exit(0);
}
