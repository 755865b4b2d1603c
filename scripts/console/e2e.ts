/**
 * `npm run console:e2e [-- --quick] [-- --only=keys,jobs]`: the console as people use it. Builds it, starts `trivium dev` (gateway, simulator, PostgreSQL), and drives chromium from
 * the printed link on; with `--only` some journeys, and no pictures. Pictures go to scripts/console/shots. The last line is JSON with `ok`.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openBrowser } from './browser.ts';
import { Checks } from './checks.ts';
import { startDevGateway } from './dev-gateway.ts';
import * as journey from './journey.ts';
import { ACCOUNT_PATH, accountLives, addsProvider, looksAtModels } from './journeys/accounts.ts';
import { setsAlertRule } from './journeys/alerts.ts';
import { usesControls } from './journeys/controls.ts';
import { addsModel, followsConversation, handsKeyOver, savesView, seesBeforeAndAfter } from './journeys/doing.ts';
import { listsStayText } from './journeys/hostile-lists.ts';
import { doesJobs } from './journeys/jobs.ts';
import { keyLives } from './journeys/keys.ts';
import { readsOverview } from './journeys/overview.ts';
import { managesPeople } from './journeys/people.ts';
import { ACCOUNT, playsWithModels } from './journeys/playground.ts';
import { POLICY_PATH, policyLives } from './journeys/policies.ts';
import { replaysIt } from './journeys/replay.ts';
import { staysWithinRoles } from './journeys/roles.ts';
import { readsStored } from './journeys/stored.ts';
import { ENGLISH_LOOKS, takePictures } from './pictures.ts';
import { consoleSizes, isWithinBudget } from './size.ts';

const ONLY = process.argv
  .find((word) => word.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const IS_QUICK = process.argv.includes('--quick');
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENGLISH = { locale: 'en-US', timezoneId: 'Europe/Berlin', viewport: { width: 1440, height: 900 } };

const checks = new Checks();
const startedMs = performance.now();
execFileSync('npm', ['run', 'console:build', '--silent'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
const gateway = await startDevGateway();
const browser = await openBrowser();
try {
  const context = await browser.newContext(ENGLISH);
  const watched = await journey.signInByLink(context, gateway, checks);
  await journey.switchesCaptureOn(watched, gateway, checks);
  await journey.capturesContent(gateway, checks);
  const rows = await journey.seesRequests(watched, gateway, checks);
  await journey.filtersAndPeeks(watched, checks);
  await journey.readsRequest(watched, rows, checks);
  const id = rows.find(({ protocol }) => protocol === 'messages')?.id ?? '';
  await replaysIt(watched, gateway, id, checks);
  await journey.usesTheShell(watched, checks);
  await journey.staysText(context, gateway, checks);
  let keyPath = '/keys';
  let storedId = '';
  const journeys: Readonly<Record<string, () => Promise<unknown>>> = {
    keys: async () => {
      keyPath = await keyLives(watched, gateway, checks);
    },
    accounts: () => accountLives(watched, gateway, checks),
    policies: () => policyLives(watched, gateway, checks),
    models: () => looksAtModels(watched, gateway, checks),
    playground: () => playsWithModels(watched, gateway, checks),
    alerts: () => setsAlertRule(watched, gateway, checks),
    overview: () => readsOverview(watched, gateway, checks),
    lists: () => listsStayText(context, gateway, checks),
    controls: () => usesControls(watched, gateway, checks),
    'handed-key': () => handsKeyOver(watched, gateway, checks),
    views: () => savesView(watched, gateway, checks),
    'own-model': () => addsModel(watched, gateway, checks),
    conversation: () => followsConversation(watched, gateway, checks),
    stored: async () => {
      storedId = await readsStored(watched, browser, gateway, checks);
    },
    people: () => managesPeople(watched, gateway, checks),
    audit: () => seesBeforeAndAfter(watched, gateway, checks),
    // Its models come before those of the simulator.
    providers: () => addsProvider(watched, gateway, checks),
    jobs: () => doesJobs(watched, gateway, checks),
    roles: () => staysWithinRoles(browser, gateway, ACCOUNT, checks),
  };
  for (const [name, run] of Object.entries(journeys)) if (ONLY === undefined || ONLY.includes(name)) await run();
  const pages = [
    { name: 'requests', path: '/requests' },
    { name: 'requests-peek', path: `/requests?peek=${id}`, moreCalls: 1 },
    { name: 'requests-none', path: '/requests?model=none' },
    { name: 'request', path: `/requests/${id}` },
    { name: 'request-bill', path: `/requests/${id}?tab=bill` },
    { name: 'request-wire', path: `/requests/${id}?tab=wire` },
    { name: 'request-diff', path: `/requests/${id}?tab=wire&view=diff` },
    { name: 'request-stored', path: `/requests/${storedId}?tab=stored` },
    { name: 'request-missing', path: '/requests/none' },
    { name: 'keys', path: '/keys?state=all' },
    { name: 'keys-create', path: '/keys?create=yes' },
    // With the links that hand it over.
    { name: 'key', path: keyPath, moreCalls: 1 },
    { name: 'handed-key', path: '/key' },
    { name: 'accounts', path: '/accounts' },
    ...[
      'overview',
      'members',
      'keys',
      'budgets',
      'limits',
      'group',
      'credit',
      'ledger',
      'terms',
      'content',
      'webhooks',
      'audit',
    ].map((tab) => ({
      name: `account-${tab}`,
      path: `${ACCOUNT_PATH}?tab=${tab}`,
      // Budgets, and those for each member, key or value of a tag.
      ...((tab === 'budgets' || tab === 'overview') && { moreCalls: 1 }),
    })),
    { name: 'models', path: '/models' },
    { name: 'model', path: '/models/simulator/echo' },
    { name: 'providers', path: '/providers' },
    { name: 'providers-all', path: '/providers?show=all' },
    { name: 'provider', path: '/providers/simulator' },
    { name: 'policies', path: '/policies' },
    { name: 'policies-create', path: '/policies?create=yes' },
    { name: 'policy', path: POLICY_PATH },
    ...['overview', 'usage', 'playground', 'operations', 'alerts', 'audit', 'settings'].map((name) => ({
      name,
      path: `/${name}`,
    })),
    { name: 'alerts-rules', path: '/alerts?tab=rules' },
    ...['apps', 'managed', 'nodes', 'configuration'].map((tab) => ({
      name: `settings-${tab}`,
      path: `/settings?tab=${tab}`,
    })),
    { name: 'sign-in', path: '/sign-in' },
  ];
  const due = ONLY === undefined ? pages : [];
  await takePictures(browser, gateway.adminUrl, await context.storageState(), due, ENGLISH_LOOKS, checks, IS_QUICK);
  await journey.codeWorksOnce(await browser.newContext(ENGLISH), gateway, checks);
  await journey.signsOut(watched, gateway, checks);
  checks.is('no errors, no violation of the policy', watched.troubles, []);
} catch (error) {
  checks.holds(`the journey goes on: ${error instanceof Error ? error.message : String(error)}`, false);
} finally {
  await browser.close();
  await gateway.stop();
}
const sizes = await consoleSizes();
checks.holds(`first view ${sizes.firstViewBytes} bytes, all ${sizes.allBytes} bytes`, isWithinBudget(sizes));
const ok = checks.failed.length === 0;
const seconds = Math.round((performance.now() - startedMs) / 1000);
console.log(JSON.stringify({ ok, passed: checks.passed, failed: checks.failed, ...sizes, seconds }));
process.exitCode = ok ? 0 : 1;
